#include "panels/lab/lab_figure.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headroom {
namespace {

TEST(LabFigure, DrawsHistogramsLinesAndPoints) {
    LabChart chart{"c", "score", "density", false, false, {}, "a note"};
    chart.series.push_back({"measured", LabSeries::Style::kColumns, {}, {}});
    for (int i = 0; i < 20; ++i) {
        chart.series[0].x.push_back(i);
        chart.series[0].y.push_back(i % 5);
    }
    chart.series.push_back({"law", LabSeries::Style::kLine, {3, 1, 2}, {30, 10, 20}});
    chart.series.push_back({"found", LabSeries::Style::kPoints, {1}, {std::nan("")}});
    const Figure figure = build_lab_figure(chart);
    ASSERT_EQ(figure.bars.size(), 20u);
    EXPECT_DOUBLE_EQ(figure.bars[4].half_width, 0.5);  // neighbours touch
    EXPECT_EQ(figure.y.range.lower, 0);
    EXPECT_GT(figure.y.range.upper, 30);
    EXPECT_LE(figure.x.range.lower, -0.5);
    ASSERT_EQ(figure.series.size(), 2u);
    EXPECT_EQ(figure.series[0].data->x()[0], 1);  // from left to right
    EXPECT_TRUE(figure.series[0].style.line);
    EXPECT_TRUE(figure.series[1].data->empty());  // no number, no point
    EXPECT_EQ(figure.footnote, "a note");
}

TEST(LabFigure, LeavesOutWhatALogarithmicAxisCannotShow) {
    LabChart chart{"c", "d", "error", true, true, {}, ""};
    chart.series.push_back({"s", LabSeries::Style::kLine, {0, 1, 10}, {1, 0.1, -1}});
    const Figure figure = build_lab_figure(chart);
    EXPECT_EQ(figure.series[0].data->size(), 1u);
    EXPECT_GT(figure.x.range.lower, 0);
    EXPECT_GT(figure.y.range.lower, 0);
}

TEST(LabFigure, PutsFewColumnsSideBySide) {
    LabChart chart{"c", "h", "error", false, false, {}, ""};
    for (const char* name : {"linear", "mlp"})
        chart.series.push_back({name, LabSeries::Style::kColumns, {256, 512}, {0.1, 0.1}});
    const Figure figure = build_lab_figure(chart);
    ASSERT_EQ(figure.bars.size(), 4u);
    EXPECT_LE(figure.bars[0].right(), figure.bars[2].left() + 1e-9);
    EXPECT_EQ(figure.bars[0].x, 256) << "the data, wherever it is drawn";
    EXPECT_EQ(figure.bars[2].x, 256);
}

TEST(LabFigure, ColumnsMayStandAtNames) {
    LabChart chart{"c", "activation", "error", false, false, {}, "", {"relu", "gelu"}};
    for (const char* name : {"linear", "mlp"})
        chart.series.push_back({name, LabSeries::Style::kColumns, {1, 2}, {0.1, 0.1}});
    const Figure figure = build_lab_figure(chart);
    EXPECT_EQ(figure.x.names, chart.x_names);
    EXPECT_LT(figure.x.range.lower, figure.bars[0].left());
    EXPECT_GT(figure.x.range.upper, figure.bars[3].right());
}

TEST(LabFigure, HistogramsDoNotHideEachOtherNorLookLikeRuns) {
    LabChart chart{"c", "score", "density", false, false, {}, ""};
    for (const char* name : {"trained", "drawn"}) {
        chart.series.push_back({name, LabSeries::Style::kColumns, {}, {}});
        for (int i = 0; i < 20; ++i) {
            chart.series.back().x.push_back(i);
            chart.series.back().y.push_back(i % 5);
        }
    }
    Figure figure = build_lab_figure(chart);
    ASSERT_EQ(figure.bars.size(), 40u);
    for (const FigureBar& bar : figure.bars) EXPECT_TRUE(bar.see_through && bar.is_part);
    chart.series.pop_back();
    figure = build_lab_figure(chart);
    EXPECT_FALSE(figure.bars.front().see_through) << "nothing stands behind it";
}

TEST(LabFigure, NamesTheChartsThatThereAre) {
    LabResult result;
    EXPECT_THROW(find_chart(result, ""), UserError);
    result.charts = {{"a", "", "", false, false, {}, ""}, {"b", "", "", false, false, {}, ""}};
    EXPECT_EQ(find_chart(result, "").name, "a");
    EXPECT_EQ(find_chart(result, "b").name, "b");
    EXPECT_THROW(find_chart(result, "c"), UserError);
}

}  // namespace
}  // namespace headroom
