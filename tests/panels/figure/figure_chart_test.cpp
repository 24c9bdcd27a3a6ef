#include "panels/figure/figure_chart.h"

#include <QTest>
#include <QToolTip>
#include <map>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

/// Curves with names, the legend below them.
Figure figure_of(int curves) {
    Figure figure;
    figure.x.range = {0, 1};
    figure.y.range = {0, 1};
    figure.legend = LegendPlace::kBelow;
    for (int i = 0; i < curves; ++i) {
        FigureSeries series;
        series.id = "run" + std::to_string(i);
        series.legend = "a run of some name " + std::to_string(i);
        series.style.color = i;
        series.data = std::make_shared<Curve>(make_column({0, 1}), make_column({0, 1}));
        figure.series.push_back(series);
    }
    return figure;
}

TEST(FigureChart, ThePointerMayCrossALegendWhoseLastRowIsNotFull) {
    for (const int curves : {1, 2, 3, 4, 5, 7, 36}) {
        for (const QSize size : {QSize(480, 300), QSize(700, 500), QSize(1000, 400)}) {
            FigureChart chart;
            chart.resize(size);
            chart.show();
            chart.show_figure(figure_of(curves), false);
            for (int y = 0; y < chart.height(); y += 40)
                for (int x = 0; x < chart.width(); x += 90) QTest::mouseMove(&chart, {x, y});
            EXPECT_GT(chart.legend->itemCount(), 0);
        }
    }
}

TEST(FigureChart, ALegendThatIsTooLongKeepsWhatExplains) {
    Figure figure = figure_of(60);
    figure.keys = {{"train", "train", {}}, {"val", "val", {}}};
    FigureChart chart;
    chart.resize(480, 300);
    chart.show();
    chart.show_figure(figure, false);
    QStringList names;
    for (int i = 0; i < chart.legend->itemCount(); ++i)
        if (auto* item = dynamic_cast<QCPPlottableLegendItem*>(chart.legend->item(i)))
            names << item->plottable()->name();
    ASSERT_GE(names.size(), 4);
    EXPECT_LT(names.size(), 62);
    EXPECT_EQ(names.mid(names.size() - 2), (QStringList{"train", "val"}));
    EXPECT_TRUE(names[names.size() - 3].endsWith(" more")) << names.join("; ").toStdString();
    EXPECT_EQ(names[names.size() - 3], QString("and %1 more").arg(60 - (names.size() - 3)));
}

TEST(FigureChart, PointingTellsWhatStandsThere) {
    Figure figure = figure_of(0);
    figure.bars.push_back({"<weights>", 0.5, 0.2, 0, 0.5, 0, ""});
    FigureChart chart;
    chart.resize(480, 300);
    chart.show();
    chart.show_figure(figure, false);
    chart.replot();
    const QRect area = chart.axisRect()->rect();
    QTest::mouseMove(&chart, {area.center().x(), area.bottom() - area.height() / 4});
    EXPECT_TRUE(QToolTip::text().contains("&lt;weights&gt;")) << QToolTip::text().toStdString();
    QTest::mouseMove(&chart, {area.center().x(), area.top() + 5});
    QTRY_VERIFY(QToolTip::text().isEmpty());
    chart.set_readout(false);
    QTest::mouseMove(&chart, {area.center().x(), area.bottom() - area.height() / 4});
    EXPECT_TRUE(QToolTip::text().isEmpty());
}

TEST(FigureChart, ARuleAndItsNameWearTheColourOfTheRunThatItIsOf) {
    Figure figure = figure_of(1);
    LineStyle run;
    run.color = 3;
    run.shade = 1;
    figure.rules = {{true, 0.5, "base, final loss", run}, {true, 0.2, "0 = base"}};
    FigureChart chart;
    chart.resize(480, 300);
    chart.show();
    chart.show_figure(figure, false);
    const QColor own = to_qcolor(palette_color(3, 1, false));
    const QColor muted = to_qcolor(figure_theme(false).muted);
    std::map<QString, QColor> names;
    for (int i = 0; i < chart.legend->itemCount(); ++i)
        if (auto* item = dynamic_cast<QCPPlottableLegendItem*>(chart.legend->item(i)))
            names[item->plottable()->name()] = item->plottable()->pen().color();
    EXPECT_EQ(names["base, final loss"], own);
    EXPECT_EQ(names["0 = base"], muted);
    std::map<double, QColor> lines;
    for (int i = 0; i < chart.itemCount(); ++i)
        if (auto* line = dynamic_cast<QCPItemStraightLine*>(chart.item(i)))
            lines[line->point1->coords().y()] = line->pen().color();
    EXPECT_EQ(lines, (std::map<double, QColor>{{0.5, own}, {0.2, muted}}));
}

TEST(FigureChart, OtherColumnsAreSeenThroughThoseThatTheyStandBehind) {
    Figure figure = figure_of(1);
    figure.bars = {{"solid", 0.2, 0.1, 0, 0.5, 0, ""},
                   {"see through", 0.8, 0.1, 0, 0.5, 0, "", "bar", false, true}};
    FigureChart chart;
    chart.show_figure(figure, false);
    std::vector<bool> opaque;
    for (int i = 0; i < chart.itemCount(); ++i)
        if (auto* part = dynamic_cast<QCPItemRect*>(chart.item(i)))
            opaque.push_back(part->brush().color().alpha() == 255);
    EXPECT_EQ(opaque, (std::vector<bool>{true, false}));
}

TEST(FigureChart, AClickTellsWhichEntryOfAFullLegendItMet) {
    FigureChart chart;
    chart.resize(700, 500);
    chart.show();
    chart.show_figure(figure_of(5), false);
    chart.replot();
    std::set<QString> met;
    QObject::connect(&chart, &FigureChart::legend_clicked, &chart,
                     [&met](const QString& id) { met.insert(id); });
    for (int y = 0; y < chart.height(); y += 6)
        for (int x = 0; x < chart.width(); x += 20)
            QTest::mouseClick(&chart, Qt::LeftButton, {}, {x, y});
    EXPECT_EQ(met.size(), 5u);
}

TEST(FigureChart, AShadedStretchMovesWithTheAxisAndGoesWithItsMeaning) {
    FigureChart chart;
    chart.resize(700, 500);
    chart.show();
    Figure figure = figure_of(1);
    figure.x.column = "step";
    chart.show_figure(figure, false);
    chart.replot();
    const auto ground_at = [&](double x) {
        const QRect area = chart.axisRect()->rect();
        return chart.grab().toImage().pixelColor(static_cast<int>(chart.xAxis->coordToPixel(x)) + 3,
                                                 area.top() + 12);
    };
    const QColor plain = ground_at(0.35);
    chart.shade(Range{0.3, 0.5});
    chart.replot();
    EXPECT_NE(ground_at(0.35), plain);
    EXPECT_EQ(ground_at(0.65), plain);
    chart.look_at({0.2, 0.8}, {0, 1});
    chart.show_figure(chart.figure(), false);
    chart.replot();
    EXPECT_NE(ground_at(0.35), plain);
    EXPECT_EQ(ground_at(0.65), plain);
    figure.x.column = "tokens";
    chart.show_figure(figure, false);
    chart.replot();
    EXPECT_EQ(ground_at(0.35), plain);
    EXPECT_FALSE(chart.shaded());
}

}  // namespace
}  // namespace headroom
