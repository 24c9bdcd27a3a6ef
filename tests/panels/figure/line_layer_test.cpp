#include "panels/figure/line_layer.h"

#include <QTest>
#include <cmath>

#include <gtest/gtest.h>

#include "panels/figure/figure_chart.h"

namespace headroom {
namespace {

constexpr int kCurves = 30, kPoints = 4000;

/// So many noisy curves that Qt does not stroke them.
Figure noisy_figure(AxisScale x_scale = AxisScale::kLinear) {
    Figure figure;
    figure.x.range = {1, kPoints};
    figure.x.scale = x_scale;
    figure.y.range = {0, 8};
    figure.legend = LegendPlace::kNone;
    for (int c = 0; c < kCurves; ++c) {
        std::vector<double> x, y;
        for (int i = 1; i <= kPoints; ++i) {
            x.push_back(i);
            y.push_back(0.2 * c + 0.7 * std::sin(0.37 * i * (c + 1)));
        }
        FigureSeries series;
        series.id = "run" + std::to_string(c);
        series.style.color = c;
        series.style.dash = c % 2 == 0 ? LineDash::kSolid : LineDash::kDash;
        series.style.faint = c % 3 == 0;
        series.data = make_curve(std::move(x), std::move(y));
        figure.series.push_back(std::move(series));
    }
    return figure;
}

/// A chart on the screen, as large as asked for.
struct Shown {
    explicit Shown(const Figure& figure, QSize size = {640, 420}) {
        chart.resize(size);
        chart.show();
        chart.show_figure(figure, false);
        chart.replot();
    }
    /// What is on the screen when nothing is under way any more.
    QImage settled() {
        for (int i = 0; i < 500 && !chart.is_exact(); ++i) QTest::qWait(10);
        EXPECT_TRUE(chart.is_exact());
        QTest::qWait(50);
        return chart.grab().toImage();
    }
    void wheel(QPointF at, int steps) {
        QWheelEvent event(at, chart.mapToGlobal(at), {}, {0, 120 * steps}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&chart, &event);
        chart.replot();
    }
    void drag(QPoint from, QPoint to, int steps) {
        QTest::mousePress(&chart, Qt::MiddleButton, {}, from);
        for (int i = 1; i <= steps; ++i) {
            QTest::mouseMove(&chart, from + (to - from) * i / steps);
            chart.replot();
        }
        QTest::mouseRelease(&chart, Qt::MiddleButton, {}, to);
    }
    FigureChart chart;
};

/// The same ranges painted from nothing.
QImage afresh(const FigureChart& chart) {
    Shown other(chart.figure(), chart.size());
    EXPECT_TRUE(other.chart.is_exact());
    return other.settled();
}

int inked(const QImage& image, QRect area) {
    int count = 0;
    for (int y = area.top(); y <= area.bottom(); ++y)
        for (int x = area.left(); x <= area.right(); ++x) {
            const QColor colour = image.pixelColor(x, y);
            count += colour.saturation() > 40 ? 1 : 0;
        }
    return count;
}

TEST(LineLayer, APanEndsInWhatIsPaintedFromNothing) {
    Shown shown(noisy_figure());
    shown.drag({300, 200}, {361, 163}, 9);
    const QImage image = shown.settled();
    EXPECT_TRUE(image == afresh(shown.chart));
}

TEST(LineLayer, AZoomEndsInWhatIsPaintedFromNothing) {
    for (const AxisScale scale : {AxisScale::kLinear, AxisScale::kLog}) {
        Shown shown(noisy_figure(scale));
        for (const int steps : {1, 1, 2, -1, 3, -2, -2}) shown.wheel({310, 190}, steps);
        const QImage image = shown.settled();
        EXPECT_TRUE(image == afresh(shown.chart));
    }
}

TEST(LineLayer, AZoomUntilThereAreFewPointsEndsInWhatIsPaintedFromNothing) {
    Shown shown(noisy_figure());
    for (int i = 0; i < 12; ++i) shown.wheel({310, 190}, 3);
    ASSERT_LT(shown.chart.figure().x.range.size(), 20);
    const QImage image = shown.settled();
    EXPECT_TRUE(image == afresh(shown.chart));
    for (int i = 0; i < 12; ++i) shown.wheel({310, 190}, -3);
    EXPECT_TRUE(shown.settled() == afresh(shown.chart));
}

TEST(LineLayer, AMovementDrawsTheLastPictureWhereItHasGoneTo) {
    Figure middle = noisy_figure();
    middle.x.range = {1000, 3000};
    Shown shown(middle);
    const QRect area = shown.chart.axisRect()->rect();
    const QImage before = shown.settled();
    const Figure figure = shown.chart.figure();
    const double pixel = figure.x.range.size() / area.width();
    shown.chart.look_at({figure.x.range.lower + 40 * pixel, figure.x.range.upper + 40 * pixel},
                        figure.y.range);
    shown.chart.replot();
    EXPECT_FALSE(shown.chart.is_exact());
    const QImage moved = shown.chart.grab().toImage();
    ASSERT_EQ(shown.chart.axisRect()->rect(), area);
    // Lines inside the axes, below where grid lines and tick labels have moved by themselves.
    int differing = 0;
    for (int y = area.top() + 5; y < area.bottom() - 5; ++y)
        for (int x = area.left() + 5; x < area.right() - 50; ++x) {
            const QColor was = before.pixelColor(x + 40, y), is = moved.pixelColor(x, y);
            differing += was.saturation() > 200 && was != is ? 1 : 0;
        }
    EXPECT_EQ(differing, 0);
    // What has come into view was painted along with it.
    const QRect strip(area.right() - 35, area.top() + 5, 30, area.height() - 10);
    EXPECT_GT(inked(moved, strip), 30 * area.height() / 4);
}

TEST(LineLayer, OtherLinesAreSoonDrawnInPlaceOfThoseBefore) {
    Shown shown(noisy_figure());
    Figure fewer = noisy_figure();
    for (size_t i = 0; i < 12; ++i) fewer.series[i].visible = false;
    shown.chart.show_figure(fewer, false);
    shown.chart.replot();
    EXPECT_FALSE(shown.chart.is_exact());
    EXPECT_TRUE(shown.settled() == afresh(shown.chart));
}

TEST(LineLayer, AChartThatGoesWhileItsLinesArePaintedLeavesNothingBehind) {
    for (int i = 0; i < 5; ++i) {
        Shown shown(noisy_figure());
        shown.wheel({310, 190}, 1);
        EXPECT_FALSE(shown.chart.is_exact());
    }
}

}  // namespace
}  // namespace headroom
