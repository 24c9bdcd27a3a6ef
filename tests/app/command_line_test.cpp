#include "app/command_line.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/command.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(CommandLine, MisspeltCommandIsAnsweredWithTheNearestOne) {
    expect_one_error_line(headroom({"docter"}), 2, "did you mean \"doctor\"?");
}

TEST(CommandLine, MisspeltOptionIsAnsweredWithTheNearestOne) {
    expect_one_error_line(headroom({"doctor", "--jsno"}), 2, "did you mean \"--json\"?");
}

TEST(CommandLine, UnknownOptionPointsToTheHelpOfItsCommand) {
    expect_one_error_line(headroom({"doctor", "--quite-another-thing"}), 2,
                          "see headroom doctor --help");
}

TEST(CommandLine, HelpAndVersionAreNoErrors) {
    for (const char* flag : {"--help", "--version"}) {
        const Outcome outcome = headroom({flag});
        EXPECT_EQ(outcome.status, 0);
        EXPECT_THAT(outcome.out, HasSubstr("headroom"));
        EXPECT_EQ(outcome.err, "");
    }
}

TEST(CommandLine, DoctorPrintsOneJsonDocument) {
    const Outcome outcome = headroom({"doctor", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_GE(document.at("cores").get<int>(), 1);
    EXPECT_GT(document.at("memory_bytes").get<int64_t>(), 0);
    for (const char* name : {"cpu", "onednn", "hdf5", "display", "opengl", "cuda"})
        EXPECT_FALSE(document.at("findings").at(name).at("value").get<std::string>().empty());
}

TEST(CommandLine, StudioWithoutADisplayIsRefusedInOneLine) {
    for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        unsetenv(variable);
    expect_one_error_line(headroom({}), 1, "no display");
    expect_one_error_line(headroom({HEADROOM_SOURCE_DIR}), 1, "no display");
    setenv("DISPLAY", ":4711", 1);
    expect_one_error_line(headroom({}), 1, "X11 :4711 does not answer");
    unsetenv("DISPLAY");
}

}  // namespace
}  // namespace headroom
