#include "panels/memory/treemap_painter.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <qcustomplot.h>

#include "panels/base/number_format.h"
#include "panels/base/rgb.h"
#include "panels/base/theme.h"
#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

constexpr double kLabelPt = 7, kTreemapTitlePt = 8.5, kLegendPt = 7.5, kNotePt = 6.5;
constexpr double kSample = 9;  ///< of the legend, in pixels
constexpr double kHatchStep = 7;
constexpr double kPageBorder = 6;

QRectF to_qrect(const TreemapRect& rect, const QPointF& corner) {
    return {corner.x() + rect.x, corner.y() + rect.y, rect.width, rect.height};
}

/// Whichever of black and white reads better.
Rgb ink_on(Rgb ground) {
    const Rgb black = rgb(0x101418), white = rgb(0xffffff);
    return contrast(black, ground) >= contrast(white, ground) ? black : white;
}

Rgb fill_of(int color, double tone, bool dark) {
    return blend(part_color(color, dark), figure_theme(dark).ground, tone);
}

/// Lines rising to the right, cut at the rectangle without any clip path.
void paint_hatch(QPainter& painter, const QRectF& rect, Rgb ink) {
    painter.setPen(QPen(to_qcolor(with_alpha(ink, 0.5)), 0.8));
    for (double c = kHatchStep; c < rect.width() + rect.height(); c += kHatchStep) {
        const QPointF low(rect.left() + std::max(0.0, c - rect.height()),
                          rect.top() + std::min(c, rect.height()));
        const QPointF high(rect.left() + std::min(c, rect.width()),
                           rect.top() + std::max(0.0, c - rect.width()));
        painter.drawLine(low, high);
    }
}

/// The label, or of "L3 attention" the layer alone; and the bytes below where they fit.
void paint_label(QPainter& painter, const QRectF& rect, const TreemapCell& cell, Rgb ground) {
    const QFontMetricsF metrics(painter.font());
    const QRectF room = rect.adjusted(3, 2, -3, -2);
    const auto fits = [&](const QString& text, int line) {
        return (line + 1) * metrics.height() <= room.height() &&
               metrics.horizontalAdvance(text) <= room.width();
    };
    const auto write = [&](const QString& text, int line) {
        painter.drawText(
            QPointF(room.left(), room.top() + line * metrics.height() + metrics.ascent()), text);
    };
    QString label = QString::fromStdString(cell.label);
    if (!fits(label, 0)) label = label.startsWith('L') ? label.section(' ', 0, 0) : "";
    if (label.isEmpty() || !fits(label, 0)) return;
    painter.setPen(to_qcolor(ink_on(ground)));
    write(label, 0);
    if (const QString bytes = QString::fromStdString(format_bytes(cell.bytes)); fits(bytes, 1))
        write(bytes, 1);
}

void paint_cell(QPainter& painter, const TreemapCell& cell, const QPointF& corner, bool dark) {
    const QRectF rect = to_qrect(cell.rect, corner);
    const Rgb fill = fill_of(cell.color, cell.tone, dark);
    painter.fillRect(rect, to_qcolor(fill));
    if (cell.shared) paint_hatch(painter, rect, ink_on(fill));
    paint_label(painter, rect, cell, fill);
}

/// Groups are told apart by the width of the gap around them.
void paint_frames(QPainter& painter, const TreemapLayout& layout, const QPointF& corner,
                  bool dark) {
    const auto line = [&](const TreemapRect& rect, double width) {
        painter.setPen(QPen(to_qcolor(figure_theme(dark).ground), width, Qt::SolidLine, Qt::FlatCap,
                            Qt::MiterJoin));
        painter.drawRect(to_qrect(rect, corner));
    };
    painter.setBrush(Qt::NoBrush);
    for (const TreemapCell& cell : layout.cells) line(cell.rect, 0.6);
    for (const TreemapFrame& frame : layout.frames) line(frame.rect, frame.depth == 2 ? 1.6 : 3.2);
}

/// Places the entries in lines of at most `width`; paints where there is a painter. The height.
double legend(QPainter* painter, const TreemapView& view, const QPointF& corner, double width,
              bool dark) {
    const QFont font = figure_font(kLegendPt);
    const QFontMetricsF metrics(font);
    const double line = metrics.height() + 3;
    double x = 0, y = 0;
    for (const TreemapKey& key : view.legend) {
        const QString name = QString::fromStdString(key.name);
        const double wide = kSample + 5 + metrics.horizontalAdvance(name) + 14;
        if (x > 0 && x + wide > width) {
            x = 0;
            y += line;
        }
        if (painter) {
            const QRectF sample(corner.x() + x, corner.y() + y + (line - kSample) / 2, kSample,
                                kSample);
            const Rgb fill = fill_of(key.color, 0, dark);
            painter->fillRect(sample, to_qcolor(fill));
            if (key.shared) paint_hatch(*painter, sample, ink_on(fill));
            painter->setFont(font);
            painter->setPen(to_qcolor(figure_theme(dark).ink));
            painter->drawText(
                QPointF(sample.right() + 5,
                        corner.y() + y + (line + metrics.ascent() - metrics.descent()) / 2),
                name);
        }
        x += wide;
    }
    return view.legend.empty() ? 0 : y + line;
}

/// The name and the total in one line, or below each other. The name gives way, never the total.
QString title_text(const TreemapTitle& title, const QFontMetricsF& metrics) {
    const QString name = QString::fromStdString(title.name),
                  total = QString::fromStdString(title.total);
    const double room = title.rect.width;
    if (QString line = name + ": " + total; metrics.horizontalAdvance(line) <= room) return line;
    const auto elided = [&](double left) {
        return metrics.elidedText(name, Qt::ElideMiddle, std::max(left, 0.0));
    };
    if (metrics.horizontalAdvance(total) > room) return {};  // half a number is another one
    if (title.rect.height >= 2 * metrics.height()) return elided(room) + "\n" + total;
    const QString tail = ": " + total;
    return elided(room - metrics.horizontalAdvance(tail)) + tail;
}

void paint_titles(QPainter& painter, const TreemapLayout& layout, const QPointF& corner,
                  bool dark) {
    painter.setFont(figure_font(kTreemapTitlePt, true));
    painter.setPen(to_qcolor(figure_theme(dark).ink));
    const QFontMetricsF metrics(painter.font());
    for (const TreemapTitle& title : layout.titles)
        painter.drawText(to_qrect(title.rect, corner), Qt::AlignLeft | Qt::AlignVCenter,
                         title_text(title, metrics));
}

/// Where the map itself lies: above its legend and notes.
struct Sheet {
    QRectF map, legend, notes;
};

Sheet divide(const TreemapView& view, const QRectF& place, bool with_notes, const QString& notes,
             bool dark) {
    const QFontMetricsF small(figure_font(kNotePt));
    const double notes_height =
        with_notes ? small.boundingRect(QRectF(0, 0, place.width(), 1000), Qt::TextWordWrap, notes)
                             .height() +
                         2
                   : 0;
    const double legend_height = legend(nullptr, view, {}, place.width(), dark);
    Sheet sheet;
    sheet.notes = QRectF(place.left(), place.bottom() - notes_height, place.width(), notes_height);
    sheet.legend =
        QRectF(place.left(), sheet.notes.top() - legend_height - 2, place.width(), legend_height);
    sheet.map = QRectF(place.left(), place.top(), place.width(),
                       std::max(0.0, sheet.legend.top() - 4 - place.top()));
    return sheet;
}

}  // namespace

TreemapLayout paint_treemap(QPainter& painter, const TreemapView& view, const QRectF& place,
                            bool dark, bool notes) {
    const QString small_print =
        QString::fromStdString(fmt::format("{}", fmt::join(view.notes, " · ")));
    const Sheet sheet = divide(view, place, notes, small_print, dark);
    TreemapLayout layout = lay_out_treemap(view, sheet.map.width(), sheet.map.height());
    const QPointF corner = sheet.map.topLeft();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(figure_font(kLabelPt));
    for (const TreemapCell& cell : layout.cells) paint_cell(painter, cell, corner, dark);
    paint_frames(painter, layout, corner, dark);
    paint_titles(painter, layout, corner, dark);
    legend(&painter, view, sheet.legend.topLeft(), sheet.legend.width(), dark);
    if (notes) {
        painter.setFont(figure_font(kNotePt));
        painter.setPen(to_qcolor(figure_theme(dark).muted));
        painter.drawText(sheet.notes, Qt::TextWordWrap, small_print);
    }
    return layout;
}

void paint_chosen_cell(QPainter& painter, const TreemapLayout& layout, const QRectF& place,
                       size_t cell, bool dark) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(to_qcolor(figure_theme(dark).ink), 2));
    painter.drawRect(to_qrect(layout.cells[cell].rect, place.topLeft()).adjusted(1, 1, -1, -1));
}

FigurePage treemap_page(TreemapView view, const TreemapPageOptions& options) {
    FigurePage page;
    page.width_in = options.width_in;
    page.height_in = options.height_in;
    page.title = options.title.empty() ? "Where memory goes" : options.title;
    page.description = "Drawn by headroom from configurations";
    const auto shared = std::make_shared<const TreemapView>(std::move(view));
    const QSizeF size(page.width_in * kPixelsPerInch, page.height_in * kPixelsPerInch);
    const auto paint = [shared, options, size](QPainter& painter) {
        painter.fillRect(QRectF(QPointF(0, 0), size), to_qcolor(figure_theme(options.dark).ground));
        QRectF place = QRectF(QPointF(0, 0), size)
                           .adjusted(kPageBorder, kPageBorder, -kPageBorder, -kPageBorder);
        if (!options.title.empty()) {
            painter.setFont(figure_font(9, true));
            painter.setPen(to_qcolor(figure_theme(options.dark).ink));
            painter.drawText(place, Qt::AlignHCenter | Qt::AlignTop,
                             QString::fromStdString(options.title));
            place.setTop(place.top() + 18);
        }
        paint_treemap(painter, *shared, place, options.dark, options.notes);
    };
    page.paint = [paint](QCPPainter& painter) { paint(painter); };
    page.image = [paint, size](double dots) {
        QImage image((size * dots).toSize(), QImage::Format_RGB32);
        QPainter painter(&image);
        painter.scale(dots, dots);
        paint(painter);
        painter.end();
        return image;
    };
    page.csv = [shared] { return treemap_csv(*shared); };
    page.shaped = [shared, options](const PageShape& shape) {
        TreemapPageOptions again = options;
        again.width_in = shape.width_in;
        again.height_in = shape.height_in > 0
                              ? shape.height_in
                              : shape.width_in * options.height_in / options.width_in;
        if (!shape.title.empty()) again.title = shape.title;
        return treemap_page(*shared, again);
    };
    return page;
}

}  // namespace headroom
