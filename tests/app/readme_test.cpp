#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command_line.h"
#include "core/base/file.h"
#include "tests/support/places.h"

namespace headroom {
namespace {

/// What the first group of `pattern` matches in `text`.
std::set<std::string> matches(const std::string& text, const std::string& pattern) {
    const std::regex regex(pattern);
    std::set<std::string> found;
    for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
        found.insert((*match)[1]);
    return found;
}

TEST(Readme, ListsExactlyTheCommandsThatExist) {
    std::string program = "headroom", flag = "--help";
    char* argv[] = {program.data(), flag.data(), nullptr};
    testing::internal::CaptureStdout();
    ASSERT_EQ(run_command_line(2, argv), 0);
    std::string help = testing::internal::GetCapturedStdout();
    help = help.substr(help.find("Subcommands:"));
    EXPECT_EQ(matches(read_text(source_tree() / "README.md"), "\\n\\| `headroom ([a-z]+)"),
              matches(help, "\\n  ([a-z]+) "));
}

TEST(Readme, LinksOnlyToFilesThatExist) {
    // Code may have brackets of the same look: a lambda's.
    const std::regex code("```[^`]*```");
    const std::string text = std::regex_replace(read_text(source_tree() / "README.md"), code, "");
    for (const std::string& link : matches(text, "\\]\\(([^)#:]+)\\)"))
        EXPECT_TRUE(std::filesystem::exists(source_tree() / link)) << link;
}

}  // namespace
}  // namespace headroom
