#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/build_info.h"
#include "tests/support/command.h"

namespace headroom {
namespace {

TEST(BuildText, IsWhatVersionPrintsWithoutDatesAndPaths) {
    const Outcome outcome = headroom({"--version"});
    EXPECT_EQ(outcome.out, build_text() + "\n");
    EXPECT_THAT(outcome.out, testing::StartsWith("headroom " + version_number() + "\ncommit    "));
    EXPECT_THAT(outcome.out, testing::ContainsRegex("compiler  [A-Za-z]+ [0-9]+"));
    EXPECT_THAT(outcome.out, testing::HasSubstr("processor "));
    for (const char* part : {"/", __DATE__, "20[0-9][0-9]-"})
        EXPECT_THAT(outcome.out, testing::Not(testing::ContainsRegex(part)));
}

}  // namespace
}  // namespace headroom
