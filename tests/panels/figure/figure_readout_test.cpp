#include "panels/figure/figure_readout.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kWide = 400, kHigh = 200;

Figure figure_of_layers() {
    Figure figure;
    figure.x.label = "layer";
    figure.x.format = NumberFormat::kWhole;
    figure.x.range = {0, 10};
    figure.y.label = "loss (nats)";
    figure.y.range = {0, 4};
    return figure;
}

std::vector<std::string> readout(const Figure& figure, double x, double y) {
    const Point at{(x - figure.x.range.lower) / figure.x.range.size(),
                   (y - figure.y.range.lower) / figure.y.range.size()};
    return figure_readout(figure, at, kWide, kHigh);
}

TEST(FigureReadout, TellsOfTheNearestPointAndItsBand) {
    Figure figure = figure_of_layers();
    FigureSeries series;
    series.id = series.name = "skipv1";
    series.data = make_curve({1, 2, 3}, {3, 2.12345678, 1});
    figure.series.push_back(series);
    series.id = series.name = "base";
    series.data = make_curve({2}, {3.5});
    figure.series.push_back(series);
    figure.bands.push_back({"skipv1", "skipv1", make_curve({1, 2, 3}, {2.9, 2.1, 0.9}),
                            make_curve({1, 2, 3}, {3.1, 2.2, 1.1})});
    EXPECT_THAT(readout(figure, 2.1, 2.2),
                ElementsAre("skipv1", "layer: 2", "loss (nats): 2.1235", "band: 2.1000 to 2.2000"));
    EXPECT_THAT(readout(figure, 2.1, 3.4), ElementsAre("base", "layer: 2", "loss (nats): 3.5000"));
    EXPECT_THAT(readout(figure, 8, 2), IsEmpty());
    figure.series[1].visible = false;
    EXPECT_THAT(readout(figure, 2.1, 3.4), IsEmpty());
}

TEST(FigureReadout, TellsOfThePartOfAColumnUnderThePointer) {
    Figure figure = figure_of_layers();
    figure.x = {.label = "", .column = "model", .range = {0.5, 2.5}, .names = {"small", "large"}};
    figure.bars.push_back({"weights", 2, 0.2, 0, 1, 0, "", "predicted", true, false, -0.2});
    figure.bars.push_back({"KV cache", 2, 0.2, 1, 3, 0, "", "predicted", true, false, -0.2});
    figure.bars.push_back({"weights", 2, 0.2, 0, 2, 0, "", "bar", true, false, 0.2});
    EXPECT_THAT(readout(figure, 1.7, 0.5),
                ElementsAre("weights, predicted", "large", "loss (nats): 1"));
    EXPECT_THAT(readout(figure, 1.7, 2),
                ElementsAre("KV cache, predicted", "large", "loss (nats): 2 (from 1 to 3)"));
    EXPECT_THAT(readout(figure, 2.3, 0.5), ElementsAre("weights", "large", "loss (nats): 2"));
    EXPECT_THAT(readout(figure, 2.3, 2.5), IsEmpty());
}

TEST(FigureReadout, TellsOfTheColumnInFront) {
    Figure figure = figure_of_layers();
    figure.bars.push_back({"before", 2, 0.4, 0, 3, 0, ""});
    figure.bars.push_back({"after", 2, 0.3, 0, 2, 0, ""});
    EXPECT_THAT(readout(figure, 2, 1), ElementsAre("after", "layer: 2", "loss (nats): 2"));
    EXPECT_THAT(readout(figure, 2, 2.5), ElementsAre("before", "layer: 2", "loss (nats): 3"));
}

TEST(FigureReadout, ReadsNumbersAsTheAxisMeansThem) {
    FigureAxis axis;
    EXPECT_EQ(axis_text(axis, 0.000012345), "1.23e-05");
    EXPECT_EQ(axis_text(axis, 123.456), "123.46");
    axis.format = NumberFormat::kCount;
    EXPECT_EQ(axis_text(axis, 1234567), "1,234,567");
    axis.format = NumberFormat::kSigned;
    EXPECT_EQ(axis_text(axis, 0.03125), "+0.031250");
    EXPECT_EQ(axis_text(axis, 2), "+2.0000");
    axis.format = NumberFormat::kDuration;
    EXPECT_EQ(axis_text(axis, 185), "3 min 05 s");
}

}  // namespace
}  // namespace headroom
