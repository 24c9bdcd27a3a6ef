#include "tests/source_rules/forbidden_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ForbiddenCalls, AreNamedWithTheirLineAndWhatToUse) {
    EXPECT_THAT(forbidden_calls({"core/a.cpp", "\n auto x = ordered_json::parse(text);\n"}),
                ElementsAre(AllOf(HasSubstr("core/a.cpp:2:"), HasSubstr("parse_json"))));
    EXPECT_THAT(forbidden_calls({"core/log/a.cpp", "H5Fcreate(p, H5F_ACC_TRUNC, a, b)"}),
                ElementsAre(HasSubstr("fresh_temporary")));
    EXPECT_THAT(forbidden_calls({"app/a.cpp", "std::ofstream out(path);"}),
                ElementsAre(HasSubstr("AtomicFile")));
    EXPECT_THAT(forbidden_calls({"app/a.cpp", "open(p, O_RDWR | O_CREAT)"}),
                ElementsAre(HasSubstr("open_for_writing")));
    EXPECT_THAT(forbidden_calls({"core/study/a.cpp", "std::ifstream in(path);"}),
                ElementsAre(HasSubstr("read_text")));
    EXPECT_THAT(forbidden_calls({"panels/a.cpp", "const auto plan = folder / \"study.json\";"}),
                ElementsAre(HasSubstr("StudyFolder")));
}

TEST(ForbiddenCalls, AreAllowedWhereTheCareIsAndInTests) {
    EXPECT_THAT(forbidden_calls({"core/base/json_text.cpp", "json::parse(text, Guard())"}),
                IsEmpty());
    EXPECT_THAT(forbidden_calls({"tests/a.cpp", "json::parse(\"{}\")"}), IsEmpty());
    EXPECT_THAT(forbidden_calls({"core/a.cpp", "parse_json(text, source)"}), IsEmpty());
}

}  // namespace
}  // namespace headroom
