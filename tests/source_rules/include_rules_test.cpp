#include "tests/source_rules/include_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(IncludeRules, RoomsIncludeOnlyTheRoomsBelowThem) {
    EXPECT_THAT(include_violations({"core/graph/graph.cpp", "#include \"panels/loss/loss.h\"\n"}),
                ElementsAre(HasSubstr("core may not include panels/loss/loss.h")));
    EXPECT_THAT(include_violations({"panels/a.cpp", "#include \"datasets/a.h\"\n"}),
                ElementsAre(HasSubstr("panels may not include")));
    EXPECT_THAT(include_violations({"app/a.cpp", "#include \"panels/a.h\"\n#include \"core/a.h\""}),
                IsEmpty());
}

TEST(IncludeRules, ProjectHeadersAreNamedFromTheRoot) {
    EXPECT_THAT(include_violations({"core/base/error.cpp", "#include \"error.h\"\n"}),
                ElementsAre(HasSubstr("not named from the root")));
}

TEST(IncludeRules, LibrariesStayWhereTheyBelong) {
    EXPECT_THAT(include_violations({"core/train/a.cpp", "#include <hdf5.h>\n"}),
                ElementsAre(HasSubstr("HDF5 only in core/log/")));
    EXPECT_THAT(include_violations({"core/log/a.cpp", "#include <hdf5.h>\n"}), IsEmpty());
    EXPECT_THAT(include_violations({"datasets/a.cpp", "  #  include <QString>  // no\n"}),
                ElementsAre(HasSubstr("Qt only")));
    EXPECT_THAT(include_violations({"app/commands/a.cpp", "#include <QString>\n"}),
                ElementsAre(HasSubstr("Qt only")));
    EXPECT_THAT(include_violations({"app/window/a.cpp", "#include <QString>\n"}), IsEmpty());
    EXPECT_THAT(include_violations({"app/a.cpp", "#include <imgui.h>\n"}),
                ElementsAre(HasSubstr("ImGui only")));
    EXPECT_THAT(include_violations({"core/a.cpp", "#include <cuda_runtime.h>\n"}),
                ElementsAre(HasSubstr("CUDA only")));
    EXPECT_THAT(include_violations({"core/a.h", "#include <nlohmann/json.hpp>\n"}),
                ElementsAre(HasSubstr("json_fwd.hpp")));
    EXPECT_THAT(include_violations({"core/a.h", "#include <nlohmann/json_fwd.hpp>\n"}), IsEmpty());
}

}  // namespace
}  // namespace headroom
