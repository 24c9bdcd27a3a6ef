#include "panels/qt/run_dot.h"

#include <QImage>
#include <QPainter>

#include <gtest/gtest.h>

#include "panels/base/theme.h"
#include "panels/figure/palette.h"

namespace headroom {
namespace {

QImage dot_of(int color, bool filled = true) {
    QImage image(24, 24, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    paint_run_dot(painter, QPointF(12, 12), 9, color, 0, filled, light_theme());
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
        EXPECT_NEAR(inked(other), inked(dot_of(0)), 0.2 * inked(dot_of(0))) << "no run stands out";
    }
    EXPECT_NE(dot_of(kPaletteSize), dot_of(2 * kPaletteSize));
    EXPECT_EQ(dot_of(0, false).pixel(12, 12), 0xffffffff) << "hidden";
}

}  // namespace
}  // namespace headroom
