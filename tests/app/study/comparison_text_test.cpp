#include "app/study/comparison_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace headroom {
namespace {

TEST(ComparisonText, JsonHasEveryNumberUnderItsName) {
    StudyComparison comparison;
    comparison.baseline = "base";
    comparison.baseline_moments = {3, 2.75, 0.015};
    GroupComparison group;
    group.name = "skip";
    group.moments = {4, 2.5, 0.25};
    group.difference = {-0.25, Interval{-0.5, -0.125}, 0.01};
    group.p_holm = 0.02;
    group.seeds_needed = 5;
    group.tokens_saved = 0.125;
    group.tokens_saved_interval = Interval{0.0625, 0.1875};
    group.notes = {"a note"};
    comparison.groups = {group, {}};
    const nlohmann::json document = comparison_json(comparison);
    EXPECT_EQ(document, nlohmann::json::parse(R"({
        "baseline": "base", "measure": "final", "test": "paired t", "baseline_n": 3,
        "baseline_mean": 2.75, "baseline_sd": 0.015, "variants": [
          {"name": "skip", "n": 4, "mean": 2.5, "sd": 0.25, "difference": -0.25, "low": -0.5,
           "high": -0.125, "p": 0.01, "p_holm": 0.02, "seeds_needed": 5, "tokens_saved": 0.125,
           "tokens_saved_low": 0.0625, "tokens_saved_high": 0.1875, "notes": ["a note"]},
          {"name": "", "n": 0, "mean": null, "sd": null, "difference": null, "low": null,
           "high": null, "p": null, "p_holm": null, "seeds_needed": null, "tokens_saved": null,
           "tokens_saved_low": null, "tokens_saved_high": null, "notes": []}]})"));
}

}  // namespace
}  // namespace headroom
