// Pictures of the window from the command line: headroom-studio STUDY --screenshot FILE.
#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>

#include "core/base/file.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/places.h"
#include "tests/support/program.h"

namespace headroom {
namespace {

using testing::HasSubstr;

struct Picture {
    int status;
    std::string said;
    bool made;
};

class PictureTest : public WindowTest {
  protected:
    Picture take(const std::vector<std::string>& options) const {
        const std::string study = folder("pictured"), file = folder("pictures") / "window.png",
                          log = folder("pictures") / "said.txt";
        std::filesystem::remove(log);
        std::vector<std::string> arguments = {study, "--screenshot", file, "--after-ms", "500"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const int status =
            wait_for_child(start_program(built_program("headroom-studio"), arguments, log));
        return {status, read_text(log), std::filesystem::exists(file)};
    }
};

TEST_F(PictureTest, ShowsTheRunAndThePageThatAreAskedFor) {
    write_study("pictured", {{"baseline", "gpt2"}});
    const Picture picture = take({"--select", "baseline", "--press", "go:losses,settings"});
    EXPECT_EQ(picture.status, 0) << picture.said;
    EXPECT_TRUE(picture.made);
}

TEST_F(PictureTest, IsNotTakenOfAnythingElse) {
    write_study("pictured", {{"baseline", "gpt2"}});
    const auto refused = [&](const std::vector<std::string>& options) {
        const Picture picture = take(options);
        EXPECT_EQ(picture.status, 2) << picture.said;
        EXPECT_FALSE(picture.made);
        EXPECT_EQ(std::ranges::count(picture.said, '\n'), 1) << picture.said;
        return picture.said;
    };
    EXPECT_EQ(refused({"--press", "go:lossse"}),
              "error: the window has no action \"go:lossse\"; did you mean \"go:losses\"?\n");
    EXPECT_EQ(refused({"--select", "basline"}),
              "error: the window has no run \"basline\"; did you mean \"baseline\"?\n");
    EXPECT_THAT(refused({"--after-ms", "soon"}), HasSubstr("--after-ms soon must be a whole"));
}

}  // namespace
}  // namespace headroom
