#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/lab/lab_result.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

TEST(LabCommand, ListsExperimentsWithTheirOptions) {
    const Outcome outcome = headroom({"lab", "list", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto all = nlohmann::json::parse(outcome.out).at("experiments");
    EXPECT_GE(all.size(), 5u);
    for (const auto& one : all) {
        EXPECT_FALSE(one.at("theorem").get<std::string>().empty());
        EXPECT_THAT(headroom({"lab", one.at("name"), "--help"}).out, HasSubstr("--seed"));
    }
}

TEST(LabCommand, WritesWhatTheFigureReads) {
    const TemporaryFolder folder;
    const std::string out = folder / "scores.json";
    const Outcome outcome = headroom({"lab", "score-scale", "--d", "32", "--n-head", "4", "--rows",
                                      "40", "--draws", "8", "--out", out, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out).at("options").at("d"), 32);
    const LabResult result = read_lab_result(load_json(out), out);
    EXPECT_EQ(result.charts.size(), 2u);
    const Outcome text = headroom(
        {"lab", "score-scale", "--d", "32", "--n-head", "4", "--rows", "40", "--draws", "8"});
    EXPECT_THAT(text.out, HasSubstr("section 8.1"));
    EXPECT_THAT(text.out, HasSubstr("ratio of both"));
    const Outcome few = headroom({"lab", "score-scale", "--rows", "2", "--draws", "2"});
    EXPECT_THAT(few.out, HasSubstr("\nnot decided    ratio of both"));
}

TEST(LabCommand, StreamsHowFarItIsAndThenTheResult) {
    const Outcome outcome = headroom({"lab", "score-scale", "--d", "32", "--n-head", "4", "--rows",
                                      "40", "--draws", "8", "--stream"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    std::string line, last;
    while (std::getline(lines, line)) {
        if (!last.empty()) {
            EXPECT_TRUE(nlohmann::json::parse(last).contains("share"));
        }
        last = line;
    }
    EXPECT_TRUE(nlohmann::json::parse(last).at("result").contains("checks"));
}

TEST(LabCommand, TakesListsAndRefusesWhatIsOutOfRange) {
    const Outcome outcome = headroom({"lab", "semi-conjugacy", "--d", "4,6", "--eps", "0.1",
                                      "--widths", "8", "--matrices", "1", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out).at("options").at("d"),
              (std::vector<int64_t>{4, 6}));
    expect_one_error_line(headroom({"lab", "score-scale", "--d", "10", "--n-head", "4"}), 2,
                          "does not divide");
    expect_one_error_line(headroom({"lab", "score-scale", "--sigma", "0"}), 2, "--sigma 0");
    expect_one_error_line(headroom({"lab", "basis-transfer", "--target", "plane"}), 2, "plain");
}

}  // namespace
}  // namespace headroom
