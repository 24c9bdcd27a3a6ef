#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/bench/scaling.h"
#include "tests/support/command.h"

namespace headroom {
namespace {

/// The smallest sizes of everything: that costs are those of the work is what counts here.
TEST(BenchScaling, MeasuresEveryKindOfWork) {
    const Outcome outcome = headroom(
        {"bench", "scaling", "--sizes", "2", "--rounds", "1", "--device", "cpu", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const ScalingResult result =
        read_scaling_result(nlohmann::json::parse(outcome.out), "what it printed");
    std::vector<std::string> names;
    for (const ScalingLine& line : result.lines) {
        names.push_back(line.name + " " + line.size_name);
        ASSERT_EQ(line.points.size(), 2U);
        const double times = line.points[1].size / line.points[0].size;
        const double costs = line.points[1].cost / line.points[0].cost;
        // Layers and vocabularies are not all of a model; what attends grows with the square.
        EXPECT_GT(costs, 1) << names.back();
        EXPECT_LE(costs, times * times) << names.back();
        if (line.size_name != "vocab_size" && line.size_name != "n_layer") {
            EXPECT_GE(costs, times) << names.back();
        }
    }
    EXPECT_THAT(names, testing::ElementsAre("training step seq_len", "training step n_layer",
                                            "training step vocab_size", "attention probe seq_len",
                                            "opening a study runs", "opening a study steps",
                                            "data prepare bytes"));
}

TEST(BenchScaling, RefusesWhatItDoesNotKnow) {
    expect_one_error_line(headroom({"bench", "scaling", "--what", "sleep"}), 2, "sleep");
    expect_one_error_line(headroom({"bench", "scaling", "--sizes", "1"}), 2, "--sizes");
}

}  // namespace
}  // namespace headroom
