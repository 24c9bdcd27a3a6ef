#include "panels/scaling/scaling_figure.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// Seconds that grow with the given power behind something paid once; a cost of power 1.
ScalingLine scaling_line(const std::string& size_name, double power, double once = 0) {
    ScalingLine result{"work", size_name, "rows", "all else equal", {}};
    for (const double size : {10, 20, 40, 80, 160})
        result.points.push_back({size, once + 0.001 * std::pow(size, power), 7 * size});
    return result;
}

nlohmann::json scaling_document() {
    return to_json({"CPU", {scaling_line("runs", 1.5), scaling_line("steps", 1)}});
}

std::string scaling_refusal(const nlohmann::json& json) {
    try {
        read_scaling_result(json, "r.json");
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

TEST(Scaling, ExponentsAreThoseOfPowers) {
    EXPECT_NEAR(exponents_of(scaling_line("runs", 1.5)).measured, 1.5, 1e-12);
    EXPECT_NEAR(exponents_of(scaling_line("runs", 1.5)).expected, 1, 1e-12);
    EXPECT_NEAR(exponents_of(scaling_line("runs", 2, 0.05)).measured, 2, 0.1)
        << "of the largest sizes";
}

TEST(Scaling, AResultIsReadAsItWasWritten) {
    const ScalingResult read = read_scaling_result(scaling_document(), "r.json");
    EXPECT_EQ(to_json(read),
              to_json({"CPU", {scaling_line("runs", 1.5), scaling_line("steps", 1)}}));
    EXPECT_NEAR(scaling_document()["lines"][0]["exponent"].get<double>(), 1.5, 1e-12);
}

TEST(Scaling, WhatIsNoResultIsRefusedByPlace) {
    EXPECT_THAT(scaling_refusal({{"cases", 1}}), HasSubstr("r.json: \"device\" is no short text"));
    EXPECT_THAT(scaling_refusal(nlohmann::json::array()), HasSubstr("r.json: it is no object"));
    auto bad = scaling_document();
    bad["lines"][1]["points"][2]["seconds"] = -1;
    EXPECT_THAT(scaling_refusal(bad),
                HasSubstr("r.json: lines[1]: \"seconds\" is no number above zero"));
    bad = scaling_document();
    bad["lines"][0]["points"][2]["size"] = 20;
    EXPECT_THAT(scaling_refusal(bad), HasSubstr("lines[0]: its sizes do not grow"));
    bad = scaling_document();
    bad["lines"][0]["points"] = nlohmann::json::array({nlohmann::json::object()});
    EXPECT_THAT(scaling_refusal(bad), HasSubstr("\"points\" is no list of 2 objects or more"));
}

TEST(ScalingFigure, CostsGoThroughTheLargestSize) {
    const Figure figure = build_scaling_figure({"CPU", {scaling_line("runs", 1.5)}}, "");
    ASSERT_THAT(figure.series, SizeIs(2));
    const FigureSeries &expected = figure.series[0], &measured = figure.series[1];
    EXPECT_EQ(expected.role, "expected");
    EXPECT_EQ(expected.style.color, measured.style.color);
    EXPECT_DOUBLE_EQ(expected.data->y().back(), measured.data->y().back());
    EXPECT_DOUBLE_EQ(expected.data->y().front(), measured.data->y().back() / 16);
    EXPECT_EQ(figure.x.label, "runs");
    EXPECT_DOUBLE_EQ(measured.data->x().front(), 10);
    EXPECT_EQ(measured.legend, "work over runs: power 1.50 (rows 1.00)");
}

TEST(ScalingFigure, WhatTheCostSaysIsInsideTheAxes) {
    const Figure figure = build_scaling_figure({"CPU", {scaling_line("runs", 0.5)}}, "");
    EXPECT_LT(figure.series[0].data->y().front(), figure.series[1].data->y().front());
    EXPECT_TRUE(figure.y.range.contains(figure.series[0].data->y().front()));
}

TEST(ScalingFigure, SizesOfSeveralKindsShareAnAxisOfMultiples) {
    const ScalingResult result{"CPU", {scaling_line("runs", 1.5), scaling_line("steps", 1)}};
    const Figure all = build_scaling_figure(result, "");
    EXPECT_EQ(all.x.label, "size, times the smallest");
    EXPECT_DOUBLE_EQ(all.series[1].data->x().back(), 16);
    EXPECT_NE(all.series[1].style.color, all.series[3].style.color);
    EXPECT_EQ(build_scaling_figure(result, "steps").x.label, "steps");
    EXPECT_THROW(build_scaling_figure(result, "layers"), UserError);
}

}  // namespace
}  // namespace headroom
