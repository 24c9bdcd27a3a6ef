#include "core/base/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace headroom {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

void expect_refused(const std::string& text, const std::string& part) {
    EXPECT_THAT([&] { parse_json(text, "job.json"); },
                ThrowsMessage<UserError>(
                    AllOf(HasSubstr("job.json"), HasSubstr(part), Not(HasSubstr("\n")))))
        << text.substr(0, 80);
}

TEST(JsonText, RefusesWhatIsNotAWellFormedDocument) {
    expect_refused("", "line 1");
    expect_refused("{\"a\": 1,\n \"b\": }", "line 2");
    expect_refused("{\"a\": 1e999}", "not valid JSON");
    expect_refused("{\"a\": \"\xff\xfe\"}", "not valid JSON");
    expect_refused("{\"a\": 1, \"b\": {}, \"a\": 2}", "the key \"a\" twice");
    expect_refused(std::string(100000, '['), "nested more than 64 deep");
}

TEST(JsonText, TheSameKeyMayStandInTwoObjects) {
    const auto document = parse_json(R"({"a": {"k": 1}, "b": [{"k": 2}, {"k": 3}], "k": 4})", "x");
    EXPECT_EQ(document["b"][1]["k"], 3);
}

TEST(JsonText, NamesAFileThatIsMissingOrAFolder) {
    EXPECT_THAT([] { load_json("/no/such/job.json"); },
                ThrowsMessage<UserError>(HasSubstr("/no/such/job.json does not exist")));
    EXPECT_THAT([] { load_json("/"); },
                ThrowsMessage<UserError>(HasSubstr("is not a regular file")));
}

TEST(JsonText, ShownIsShortAndOnOneLine) {
    EXPECT_EQ(shown("a\nb"), "\"a\\nb\"");
    EXPECT_EQ(shown(std::string(200, 'x'), 20).size(), 20u);
    EXPECT_NO_THROW(shown(std::string("\xff")));
}

}  // namespace
}  // namespace headroom
