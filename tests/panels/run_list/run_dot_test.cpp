#include "panels/qt/run_dot.h"

#include <QImage>
#include <QPainter>

#include <gtest/gtest.h>

#include "panels/base/theme.h"
#include "panels/figure/palette.h"

namespace headroom {
namespace {

QImage dot_of(int color, bool filled = true, int shade = 0) {
    QImage image(24, 24, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paint_run_dot(painter, QPointF(12, 12), 9, color, shade, filled, light_theme());
    return image;
}

int inked(const QImage& image) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) count += image.pixel(x, y) != 0xffffffff;
    return count;
}

// The ninth variant had the dot of the first.
TEST(RunDot, TellsVariantsApartWhoseColoursReturn) {
    const QRgb color = dot_of(0).pixel(12, 12);
    for (const int color_index : {kPaletteSize, 2 * kPaletteSize}) {
        const QImage other = dot_of(color_index);
        EXPECT_EQ(other.pixel(12, 12), color);
        EXPECT_NE(other, dot_of(0));
    }
    EXPECT_NE(dot_of(kPaletteSize), dot_of(2 * kPaletteSize));
    EXPECT_EQ(dot_of(0, false).pixel(12, 12), 0xffffffff) << "hidden";
}

// The list had a circle where the figure had a square.
TEST(RunDot, HasTheShapeOfTheRunInFigures) {
    EXPECT_EQ(run_style(8, 0).marker, run_style(1, 0).marker);
    for (int color = 0; color < kPaletteSize; ++color) {
        const QImage dot = dot_of(color);
        EXPECT_EQ(dot == dot_of(0), color == 0);
        EXPECT_NEAR(inked(dot), inked(dot_of(0)), 0.35 * inked(dot_of(0))) << color;
        EXPECT_LT(inked(dot_of(color, false)), 1.02 * inked(dot)) << "hidden";
        EXPECT_NE(dot_of(color, false), dot);
        // Seeds of one variant differ in their shape, too.
        EXPECT_NE(run_style(color, 0).marker, run_style(color, 1).marker);
    }
}

}  // namespace
}  // namespace headroom
