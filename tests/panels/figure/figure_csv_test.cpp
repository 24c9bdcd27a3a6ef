#include "panels/figure/figure_csv.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

namespace headroom {
namespace {

Figure small_figure() {
    Figure figure;
    figure.title = "Loss, by \"run\"";
    figure.x = {"training step", "step", AxisScale::kLinear, NumberFormat::kCount, {0, 100}};
    figure.y = {"loss (nats per token)", "loss", AxisScale::kLinear, NumberFormat::kPlain, {2, 4}};
    figure.footnote = "training smoothed by 0.6";
    figure.sources = {{"base-s1", "study/runs/base-s1", "{\"seed\":1}", "headroom 0.1.0",
                       "2025-01-31T12:00:00Z", "finished"}};
    FigureSeries series;
    series.name = "base, train";
    series.role = "value";
    series.data = make_curve({1, 50, 100, 101}, {4.5, static_cast<double>(2.19f),
                                                 std::numeric_limits<double>::quiet_NaN(), 2});
    figure.series.push_back(series);
    series.name = "hidden";
    series.visible = false;
    figure.series.push_back(series);
    figure.bands.push_back({"b", "mean", make_curve({50.0}, {2.25}), make_curve({50.0}, {2.5})});
    figure.rules.push_back({true, 0, "baseline"});
    return figure;
}

TEST(FigureCsv, EveryTextIsOneField) {
    Figure figure = small_figure();
    figure.x.column = "data.train, n";
    figure.series[0].role = "known, on the frontier";
    const std::string csv = figure_csv(figure);
    EXPECT_NE(csv.find("series,role,\"data.train, n\",loss"), std::string::npos) << csv;
    EXPECT_NE(csv.find("\"base, train\",\"known, on the frontier\",1,4.5,,"), std::string::npos);
}

// Rows of bands and rules were a field short where means say of how many runs they are.
TEST(FigureCsv, EveryRowHasTheFieldsOfTheHeader) {
    Figure figure = small_figure();
    figure.series[0].counts = {3, 3, 2, 2};
    figure.bars.push_back({"bar", 1, 0.2, 0, 2, 0, ""});
    figure.series.push_back(figure.series[0]);
    figure.series.back().counts.clear();
    std::istringstream lines(figure_csv(figure));
    std::string header;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#")) continue;
        if (header.empty()) header = line;
        const auto commas = [](std::string text) {
            if (text.starts_with('"')) text.erase(0, text.find('"', 1));  // a comma in a name
            return std::count(text.begin(), text.end(), ',');
        };
        EXPECT_EQ(commas(line), commas(header)) << line;
    }
    EXPECT_TRUE(header.ends_with(",n")) << header;
}

TEST(FigureCsv, HoldsWhatIsShownAndWhereItComesFrom) {
    EXPECT_EQ(figure_csv(small_figure()),
              "# figure: Loss, by \"run\"\n"
              "# x: training step\n"
              "# y: loss (nats per token)\n"
              "# note: training smoothed by 0.6\n"
              "# run: base-s1\n"
              "#   folder: study/runs/base-s1\n"
              "#   state: finished\n"
              "#   started: 2025-01-31T12:00:00Z\n"
              "#   program: headroom 0.1.0\n"
              "#   job: {\"seed\":1}\n"
              "series,role,step,loss,loss_lower,loss_upper\n"
              "\"base, train\",value,1,4.5,,\n"
              "\"base, train\",value,50,2.19,,\n"
              "\"base, train\",value,100,,,\n"
              "mean,band,50,,2.25,2.5\n"
              "baseline,rule,,0,,\n");
}

TEST(FigureCsv, LeavesOutTheBandOfAHiddenCurve) {
    Figure figure = small_figure();
    figure.bands[0].visible = false;
    const std::string csv = figure_csv(figure);
    EXPECT_EQ(csv.find("mean,band"), std::string::npos) << csv;
}

TEST(FigureCsv, APartOfAColumnIsAsHighAsItsEndsAreApart) {
    Figure figure;
    figure.x = {"", "model", AxisScale::kLinear, NumberFormat::kPlain, {0.5, 2.5}, {"a", "b, c"}};
    figure.y.column = "memory";
    figure.bars = {{"weights", 1, 0.3, 0, 3, 0, ""}, {"KV cache", 2, 0.3, 3, 7.5, 0, ""}};
    EXPECT_EQ(figure_csv(figure),
              "series,role,model,memory,memory_lower,memory_upper\n"
              "weights,bar,a,3,0,3\n"
              "KV cache,bar,\"b, c\",4.5,3,7.5\n");
}

TEST(FigureCsv, ACommentCannotBreakOutOfItsLine) {
    Figure figure;
    figure.title = "two\nlines";
    EXPECT_EQ(figure_csv(figure).substr(0, 20), "# figure: two lines\n");
}

}  // namespace
}  // namespace headroom
