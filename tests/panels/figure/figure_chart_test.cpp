#include "panels/figure/figure_chart.h"

#include <QTest>
#include <memory>
#include <set>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace headroom
