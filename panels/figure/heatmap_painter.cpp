#include "panels/figure/heatmap_painter.h"

#include <QImage>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

/// Pixels of an image in print for one of 1/96 inch: 384 to the inch.
constexpr double kImageScale = 4;
const double kEdge = pixels(0.6);  ///< width of lines
constexpr double kPoint = 7;       ///< of a colour bar whose end values go beyond

QRgb to_qrgb(Rgb colour) {
    return qRgb(colour.r, colour.g, colour.b);
}

void paint_text(QPainter& painter, const HeatmapText& text, const FigureTheme& theme) {
    painter.setFont(figure_font(text.points, text.bold));
    painter.setPen(to_qcolor(text.muted ? theme.muted : theme.ink));
    if (!text.turned) {
        painter.drawText(text.box, text.flags | Qt::TextDontClip, text.text);
        return;
    }
    painter.save();
    painter.translate(text.box.center());
    painter.rotate(-90);
    const QRectF box(-text.box.width() / 2, -text.box.height() / 2, text.box.width(),
                     text.box.height());
    painter.drawText(box, text.flags | Qt::TextDontClip, text.text);
    painter.restore();
}

void paint_map(QPainter& painter, const HeatmapPanel& panel, const QRectF& box,
               const ColorScale& scale, const FigureTheme& theme) {
    const auto side = static_cast<int>(std::max(box.width(), box.height()) * kImageScale);
    painter.drawImage(box, heatmap_image(panel, scale, theme.dark, side));
    painter.setPen(QPen(to_qcolor(theme.ink), kEdge));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box);
}

/// The end of a bar beyond which there are values: a triangle in the end's colour.
void paint_point(QPainter& painter, const QRectF& bar, bool top, Rgb colour,
                 const FigureTheme& theme) {
    const double edge = top ? bar.top() : bar.bottom();
    const QPolygonF point({QPointF(bar.left(), edge), QPointF(bar.right(), edge),
                           QPointF(bar.center().x(), edge + (top ? -kPoint : kPoint))});
    painter.setBrush(to_qcolor(colour));
    painter.setPen(QPen(to_qcolor(theme.ink), kEdge));
    painter.drawPolygon(point);
}

void paint_bar(QPainter& painter, const HeatmapFigure& figure, const HeatmapLayout& layout,
               const FigureTheme& theme) {
    constexpr int kSteps = 256;
    QImage gradient(1, kSteps, QImage::Format_RGB32);
    for (int i = 0; i < kSteps; ++i)
        gradient.setPixel(0, i, to_qrgb(color_at(figure.scale.map, 1 - (i + 0.5) / kSteps)));
    painter.drawImage(layout.bar, gradient.scaled(8, 4 * kSteps));
    if (layout.oddities.above)
        paint_point(painter, layout.bar, true, color_at(figure.scale.map, 1), theme);
    if (layout.oddities.below)
        paint_point(painter, layout.bar, false, color_at(figure.scale.map, 0), theme);
    painter.setPen(QPen(to_qcolor(theme.ink), kEdge));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(layout.bar);
}

}  // namespace

/// The colours of the ground under those of the cells.
static void lay_over(QImage& image, const HeatmapGround& ground) {
    const auto share = [&](int over, uint8_t under) {
        return static_cast<int>(std::lround(ground.cover * over + (1 - ground.cover) * under));
    };
    for (int y = 0; y < image.height(); ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const int64_t row = y * ground.side / image.height();
        for (int x = 0; x < image.width(); ++x) {
            const uint8_t* pixel =
                ground.pixels.data() + 3 * (row * ground.side + x * ground.side / image.width());
            line[x] = qRgb(share(qRed(line[x]), pixel[0]), share(qGreen(line[x]), pixel[1]),
                           share(qBlue(line[x]), pixel[2]));
        }
    }
}

/// Pixels of a cell's side, a multiple of those of the ground below it, which stay squares, too.
static int cell_pixels(const HeatmapPanel& panel, int least_pixels) {
    const auto most = static_cast<int>(std::max({panel.rows, panel.columns, int64_t{1}}));
    const int cell = std::max(1, (least_pixels + most - 1) / most);
    if (!panel.ground) return cell;
    const int below = std::max(1, static_cast<int>(panel.ground->side) / most);
    return (cell + below - 1) / below * below;
}

QImage heatmap_image(const HeatmapPanel& panel, const ColorScale& scale, bool dark,
                     int least_pixels) {
    const auto rows = static_cast<int>(panel.rows), columns = static_cast<int>(panel.columns);
    const int cell = cell_pixels(panel, least_pixels);
    QImage image(columns * cell, rows * cell, QImage::Format_RGB32);
    for (int row = 0; row < rows; ++row) {
        auto* first = reinterpret_cast<QRgb*>(image.scanLine(row * cell));
        for (int column = 0; column < columns; ++column) {
            const Rgb colour = panel.is_masked(row, column)
                                   ? map_inks(dark).mask
                                   : scale.color(panel.at(row, column), dark);
            std::fill_n(first + column * cell, cell, to_qrgb(colour));
        }
        for (int copy = 1; copy < cell; ++copy)
            std::copy_n(first, columns * cell,
                        reinterpret_cast<QRgb*>(image.scanLine(row * cell + copy)));
    }
    if (panel.ground) lay_over(image, *panel.ground);
    return image;
}

void paint_heatmaps(QPainter& painter, const HeatmapFigure& figure, const HeatmapLayout& layout,
                    bool dark) {
    const FigureTheme& theme = figure_theme(dark);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    const QRectF page(QPointF(0, 0), layout.size);
    painter.fillRect(page.adjusted(0, 0, 1, 1), to_qcolor(theme.ground));  // parts of a dot too
    for (size_t i = 0; i < layout.maps.size(); ++i)
        paint_map(painter, figure.panels[i], layout.maps[i], figure.scale, theme);
    if (!layout.maps.empty()) paint_bar(painter, figure, layout, theme);
    painter.setPen(QPen(to_qcolor(theme.ink), kEdge));
    for (const HeatmapTick& tick : layout.ticks) painter.drawLine(tick.from, tick.to);
    for (const HeatmapSwatch& swatch : layout.swatches)
        painter.fillRect(swatch.box, to_qcolor(swatch.colour));
    for (const HeatmapText& text : layout.texts) paint_text(painter, text, theme);
}

}  // namespace headroom
