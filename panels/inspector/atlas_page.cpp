#include "panels/inspector/atlas_page.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <cmath>
#include <memory>

#include <qcustomplot.h>

#include "panels/base/numbering.h"
#include "panels/base/theme.h"
#include "panels/figure/heatmap_page.h"
#include "panels/figure/heatmap_painter.h"
#include "panels/figure/qt_ink.h"
#include "panels/qt/qt_theme.h"

namespace headroom {
namespace {

constexpr double kBorder = 6, kBarRoom = 94, kNumbers = 30, kAtlasGap = 3;
constexpr double kLabelPt = 8, kNotePt = 7;
constexpr int kLeastPixels = 128;

/// Where the parts of an atlas stand, in pixels of 1/96 inch.
struct AtlasGrid {
    double pitch = 1, left = 0, top = 0;
    int rows = 1, columns = 1;
    QRectF cell(int i) const {
        const int row = i / columns, column = i % columns;
        return {left + column * pitch, top + row * pitch, pitch - kAtlasGap, pitch - kAtlasGap};
    }
    QRectF whole() const {
        return {left, top, columns * pitch - kAtlasGap, rows * pitch - kAtlasGap};
    }
};

double title_room(const HeatmapFigure& figure) {
    return figure.title.empty() ? 0 : 20;
}

AtlasGrid make_grid(const HeatmapFigure& figure, int n_head) {
    AtlasGrid grid;
    grid.columns = n_head;
    grid.rows = static_cast<int>(figure.panels.size()) / n_head;
    grid.left = kBorder + kNumbers;
    grid.top = kBorder + title_room(figure) + kNumbers;
    const double width = figure.width_in * kPixelsPerInch - grid.left - kBarRoom;
    const double height = figure.height_in * kPixelsPerInch - grid.top - 2.5 * kBorder - 8;
    grid.pitch = width / grid.columns;
    if (figure.height_in > 0) grid.pitch = std::min(grid.pitch, height / grid.rows);
    return grid;
}

class AtlasPainter {
  public:
    AtlasPainter(QPainter& painter, const HeatmapFigure& figure, int n_head, bool dark)
        : painter_(painter),
          figure_(figure),
          theme_(dark ? dark_theme() : light_theme()),
          dark_(dark),
          grid_(make_grid(figure, n_head)) {}

    void paint() {
        const QRectF page(0, 0, figure_.width_in * kPixelsPerInch,
                          figure_.height_in * kPixelsPerInch);
        painter_.fillRect(page, to_qcolor(theme_.panel));
        paint_maps();
        paint_numbers();
        paint_bar();
        write(QRectF(0, kBorder, page.width(), title_room(figure_)), Qt::AlignCenter,
              QString::fromStdString(figure_.title), 9.5);
        write(QRectF(kBorder, page.height() - 18, page.width() - 2 * kBorder, 14),
              Qt::AlignLeft | Qt::AlignVCenter, QString::fromStdString(figure_.footnote), kNotePt);
    }

  private:
    void write(const QRectF& box, int flags, const QString& text, double points) {
        painter_.setFont(figure_font(points));
        painter_.setPen(to_qcolor(theme_.text));
        painter_.drawText(box, flags | Qt::TextDontClip, text);
    }

    void paint_maps() {
        for (int i = 0; i < static_cast<int>(figure_.panels.size()); ++i) {
            const HeatmapPanel& panel = figure_.panels[static_cast<size_t>(i)];
            painter_.drawImage(grid_.cell(i),
                               heatmap_image(panel, figure_.scale, dark_, kLeastPixels));
        }
    }

    /// Every how many numbers fit.
    int label_step() const {
        int step = 1;
        while (step * grid_.pitch < 14) step = step == 1 ? 2 : step == 2 ? 5 : 2 * step;
        return step;
    }

    void paint_numbers() {
        const QRectF whole = grid_.whole();
        for (int l = 0; l < grid_.rows; l += label_step()) {
            const QRectF cell = grid_.cell(l * grid_.columns);
            write(QRectF(cell.left() - 18, cell.top(), 14, cell.height()),
                  Qt::AlignRight | Qt::AlignVCenter, QString::number(shown_number(l)), kLabelPt);
        }
        for (int h = 0; h < grid_.columns; h += label_step()) {
            const QRectF cell = grid_.cell(h);
            write(QRectF(cell.left(), cell.top() - 16, cell.width(), 14), Qt::AlignCenter,
                  QString::number(shown_number(h)), kLabelPt);
        }
        write(QRectF(whole.left(), whole.top() - 30, whole.width(), 14), Qt::AlignCenter, "head",
              kLabelPt);
        painter_.save();
        painter_.translate(whole.left() - 26, whole.center().y());
        painter_.rotate(-90);
        write(QRectF(-60, -7, 120, 14), Qt::AlignCenter, "layer", kLabelPt);
        painter_.restore();
    }

    void paint_bar() {
        const QRectF whole = grid_.whole();
        const QRectF bar(whole.right() + 12, whole.top(), 10, std::min(whole.height(), 160.0));
        QImage shades(1, 256, QImage::Format_RGB32);
        for (int i = 0; i < 256; ++i)
            shades.setPixelColor(0, i, to_qcolor(color_at(figure_.scale.map, 1 - i / 255.0)));
        painter_.drawImage(bar, shades);
        for (const double place : {0.0, 0.25, 0.5, 0.75, 1.0}) {
            double value = figure_.scale.value_at(place);
            if (figure_.scale.scale != ValueScale::kLog &&
                std::abs(value) < 1e-9 * std::abs(figure_.scale.upper))
                value = 0;
            const double y = bar.bottom() - place * bar.height();
            write(QRectF(bar.right() + 4, y - 7, 40, 14), Qt::AlignLeft | Qt::AlignVCenter,
                  QString::number(value, 'g', 2), kLabelPt);
        }
        painter_.save();
        painter_.translate(bar.right() + 58, bar.center().y());
        painter_.rotate(-90);
        write(QRectF(-80, -7, 160, 14), Qt::AlignCenter,
              QString::fromStdString(figure_.value_label), kLabelPt);
        painter_.restore();
    }

    QPainter& painter_;
    const HeatmapFigure& figure_;
    const Theme& theme_;
    bool dark_;
    AtlasGrid grid_;
};

}  // namespace

FigurePage atlas_page(HeatmapFigure figure, int n_head, bool dark) {
    if (figure.height_in == 0) {
        const QRectF whole = make_grid(figure, n_head).whole();
        figure.height_in = (whole.bottom() + 26) / kPixelsPerInch;
    }
    FigurePage page;
    page.width_in = figure.width_in;
    page.height_in = figure.height_in;
    page.title = figure.title;
    page.description = "Drawn by headroom from an attention record";
    const auto shared = std::make_shared<const HeatmapFigure>(std::move(figure));
    page.paint = [=](QCPPainter& painter) { AtlasPainter(painter, *shared, n_head, dark).paint(); };
    page.image = [=](double scale) {
        QImage image(
            (QSizeF(shared->width_in, shared->height_in) * kPixelsPerInch * scale).toSize(),
            QImage::Format_RGB32);
        QPainter painter(&image);
        painter.scale(scale, scale);
        AtlasPainter(painter, *shared, n_head, dark).paint();
        painter.end();
        return image;
    };
    page.csv = [shared] { return heatmap_csv(*shared); };
    return page;
}

}  // namespace headroom
