// What a study may ask of its figures, beside what `headroom figure RECIPE --help` lists.
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/figure/figure_main.h"
#include "app/figure/figure_recipe.h"
#include "core/study/figure_options.h"

namespace headroom {
namespace {

/// The options that open a line of the recipe's help.
std::set<std::string> long_options(std::string recipe) {
    std::string program = "headroom-studio", figure = "figure", help = "--help";
    char* argv[] = {program.data(), figure.data(), recipe.data(), help.data(), nullptr};
    testing::internal::CaptureStdout();
    EXPECT_EQ(figure_main(4, argv), 0);
    std::istringstream lines(testing::internal::GetCapturedStdout());
    static const std::regex option(R"(^\s+(?:-\w,)?--([\w-]+)(?:\s.*)?$)");
    std::set<std::string> names;
    std::smatch match;
    for (std::string line; std::getline(lines, line);)
        if (std::regex_match(line, match, option)) names.insert(match[1]);
    return names;
}

TEST(StudyFigureOptions, AreThoseOfTheRecipesThatNameNoFile) {
    for (const std::string& recipe : study_recipes()) {
        std::set<std::string> expected = long_options(recipe);
        EXPECT_TRUE(expected.contains("out")) << recipe;
        for (const char* unsafe : {"out", "json", "help", "job", "preset", "set"})
            expected.erase(unsafe);
        EXPECT_THAT(study_figure_options(recipe), testing::ElementsAreArray(expected)) << recipe;
    }
}

TEST(StudyFigureOptions, AreKnownForEveryRecipeThatDrawsRuns) {
    std::set<std::string> all;
    for (const auto& recipe : figure_recipes()) all.insert(recipe->name());
    for (const char* of_results : {"absorption", "decode", "lab", "scaling", "surgery"})
        all.erase(of_results);
    EXPECT_THAT(study_recipes(), testing::ElementsAreArray(all));
}

}  // namespace
}  // namespace headroom
