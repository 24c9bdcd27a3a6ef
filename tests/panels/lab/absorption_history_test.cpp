#include "panels/lab/absorption_history.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headroom {
namespace {

using testing::ElementsAre;

constexpr const char* kHistory = R"({"run": "r", "steps": [
    {"step": 0, "mlps": [
        {"layer": 0, "relative_residual": 1.0, "coefficient_distance": 0.5},
        {"layer": 2, "relative_residual": null, "coefficient_distance": null}]},
    {"step": 500, "mlps": [
        {"layer": 0, "relative_residual": 0.25, "coefficient_distance": 2.0},
        {"layer": 2, "relative_residual": null, "coefficient_distance": null}]}]})";

TEST(AbsorptionHistory, HasALineForEveryLayer) {
    const AbsorptionHistory history = read_absorption_history(kHistory);
    EXPECT_EQ(history.run, "r");
    ASSERT_EQ(history.layers.size(), 2u);
    EXPECT_EQ(history.layers[1].layer, 2);
    EXPECT_THAT(history.layers[0].steps, ElementsAre(0, 500));
    EXPECT_THAT(history.layers[0].residual, ElementsAre(1, 0.25));
    EXPECT_TRUE(std::isnan(history.layers[1].distance[0]));
}

TEST(AbsorptionHistory, IsDrawnFromZeroWithoutLayersThatNeverCan) {
    const AbsorptionHistory history = read_absorption_history(kHistory);
    const Figure residual = build_history_figure(history, AbsorptionMeasure::kResidual);
    ASSERT_EQ(residual.series.size(), 1u);
    EXPECT_EQ(residual.series[0].legend, "layer 0");
    EXPECT_EQ(residual.y.range.lower, 0);
    const Figure distance = build_history_figure(history, AbsorptionMeasure::kDistance);
    EXPECT_GE(distance.y.range.upper, 2);
    EXPECT_FALSE(build_history_figure({}, AbsorptionMeasure::kResidual).empty_text.empty());
}

TEST(AbsorptionHistory, RefusesWhatIsNone) {
    for (const char* text :
         {"", "[]", "{}", R"({"steps": 1})", R"({"steps": [1]})", R"({"steps": [{"step": 1}]})",
          R"({"steps": [{"step": "a", "mlps": []}]})",
          R"({"steps": [{"step": 1, "mlps": [{"layer": 0.5}]}]})"})
        EXPECT_THROW(read_absorption_history(text), UserError) << text;
}

}  // namespace
}  // namespace headroom
