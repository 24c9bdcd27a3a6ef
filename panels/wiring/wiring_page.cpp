#include "panels/wiring/wiring_page.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <qcustomplot.h>

#include "panels/base/numbering.h"
#include "panels/base/theme.h"
#include "panels/figure/csv_text.h"
#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"
#include "panels/wiring/wiring_layout.h"
#include "panels/wiring/wiring_ownership_view.h"
#include "panels/wiring/wiring_painter.h"

namespace headroom {
namespace {

constexpr double kPictureWidthIn = 5.5, kMostHeightIn = 8;
constexpr double kNumberPt = 7;
constexpr double kWidestColumn = 34;  ///< pixels to a column: few heads make no posters
constexpr double kNumberRoom = 28;    ///< pixels beside and above a lane
constexpr double kPageTitlePt = 9, kTitleRoom = 22;
constexpr double kLegendRoom = 46;    ///< legend and total
constexpr double kCellTextUnit = 22;  ///< pixels to a cell below which its text is left out
constexpr double kLineShare = 0.045;  ///< of a unit
constexpr double kFaint = 0.6;

constexpr std::array kRoles{HeadRole::kOwn, HeadRole::kReused, HeadRole::kMixed, HeadRole::kNone};

class WiringPicture {
  public:
    WiringPicture(const WiringView& view, const WiringPageOptions& options)
        : view_(view),
          options_(options),
          theme_(options.dark ? dark_theme() : light_theme()),
          ground_(figure_theme(options.dark).ground),
          layout_(fit(view, options)) {
        if (options.by_owner) ownership_ = build_ownership(view);
    }

    QSizeF size() const {
        return {kPictureWidthIn * kPixelsPerInch,
                title_room() + unit_ * static_cast<double>(layout_.height()) + kLegendRoom};
    }

    void paint(QPainter& painter) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.fillRect(QRectF({0, 0}, size()), to_qcolor(ground_));
        paint_title(painter);
        painter.setFont(figure_font(kNumberPt));
        left_ = (size().width() - unit_ * static_cast<double>(layout_.width())) / 2;
        for (const KvTable lane : layout_.lanes()) {
            paint_labels(painter, lane);
            for (const WiringBus& bus : view_.lane(lane).buses) paint_bus(painter, lane, bus);
            for (int l = 0; l < view_.n_layer; ++l)
                for (int g = 0; g < view_.n_kv_head; ++g) paint_cell(painter, lane, {l, g});
        }
        paint_legend(painter);
    }

  private:
    double title_room() const { return options_.title.empty() ? 0 : kTitleRoom; }

    void paint_title(QPainter& painter) const {
        if (options_.title.empty()) return;
        painter.setFont(figure_font(kPageTitlePt, true));
        painter.setPen(to_qcolor(theme_.text));
        painter.drawText(QRectF(0, 4, size().width(), kTitleRoom - 4),
                         Qt::AlignHCenter | Qt::AlignTop | Qt::TextDontClip,
                         QString::fromStdString(options_.title));
    }

    /// Numbers need as much room whatever a column is wide.
    WiringLayout fit(const WiringView& view, const WiringPageOptions& options) {
        constexpr float kAspect = 1.6f;  // beside each other rather than below
        WiringLayout layout(view, options.keys, options.values, kAspect);
        for (int pass = 0; pass < 3; ++pass) {
            unit_ =
                std::min({kPictureWidthIn * kPixelsPerInch / static_cast<double>(layout.width()),
                          (kMostHeightIn * kPixelsPerInch - kLegendRoom - title_room()) /
                              static_cast<double>(layout.height()),
                          kWidestColumn});
            layout = WiringLayout(view, options.keys, options.values, kAspect,
                                  static_cast<float>(kNumberRoom / unit_));
        }
        unit_ =
            std::min(unit_, kPictureWidthIn * kPixelsPerInch / static_cast<double>(layout.width()));
        return layout;
    }

    QPointF place(WiringPoint p) const {
        return {left_ + unit_ * static_cast<double>(p.x),
                title_room() + unit_ * static_cast<double>(p.y)};
    }
    QRectF place(const WiringBox& box) const {
        return {place(WiringPoint{box.x0, box.y0}), place(WiringPoint{box.x1, box.y1})};
    }

    void paint_labels(QPainter& painter, KvTable lane) const {
        const QRectF box = place(layout_.lane_box(lane));
        const double line = painter.fontMetrics().height();
        painter.setPen(to_qcolor(theme_.text));
        painter.drawText(QRectF(box.left(), box.top() - 2 * line - 2, box.width(), line),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
                         lane == KvTable::kKeys ? "Keys by head" : "Values by head");
        painter.setPen(to_qcolor(theme_.muted));
        const int step = std::max(1, static_cast<int>(std::ceil(1.5 * line / unit_)));
        for (int g = 0; g < view_.n_kv_head; ++g) {
            const QRectF cell = place(layout_.cell_box(lane, {0, g}));
            if (g % step != 0 && cell.width() < 1.5 * line) continue;
            painter.drawText(QRectF(cell.center().x() - 20, box.top() - line, 40, line),
                             Qt::AlignCenter, QString::number(shown_number(g)));
        }
        for (int l = 0; l < view_.n_layer; l += std::max(1, static_cast<int>(line / unit_ + 0.99)))
            painter.drawText(QRectF(box.left() - 44, box.top() + unit_ * l, 40, unit_),
                             Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                             QString("L%1").arg(shown_number(l)));
    }

    void paint_bus(QPainter& painter, KvTable lane, const WiringBus& bus) const {
        const Rgb of_source = ownership_
                                  ? owner_color(ownership_->head(lane, bus.source).hue, theme_)
                                  : theme_.reused;
        const QColor colour = to_qcolor(blend(of_source, ground_, 1 - kFaint));
        const double width = std::clamp(unit_ * kLineShare, 0.6, 1.4);
        painter.setPen(QPen(colour, width));
        painter.setBrush(Qt::NoBrush);
        // The line from the farthest reader passes all others: they need only their taps.
        QPainterPath path;
        const auto corners = layout_.edge(lane, {bus.readers.back(), bus.column}, bus.source);
        path.moveTo(place(corners.front()));
        for (const WiringPoint& corner : corners) path.lineTo(place(corner));
        for (size_t i = 0; i + 1 < bus.readers.size(); ++i) {
            const auto tap = layout_.edge(lane, {bus.readers[i], bus.column}, bus.source);
            path.moveTo(place(tap[0]));
            path.lineTo(place(tap[1]));
        }
        painter.drawPath(path);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawEllipse(place(corners.back()), 1.6 * width, 1.6 * width);
    }

    void paint_mark(QPainter& painter, const QRectF& box, HeadRole role) const {
        const double line = std::clamp(box.height() * 0.09, 0.6, 1.8);
        const QColor own = to_qcolor(theme_.own), reused = to_qcolor(theme_.reused);
        switch (role) {
            case HeadRole::kOwn:
                painter.setPen(Qt::NoPen);
                painter.setBrush(own);
                painter.drawRoundedRect(box, box.height() * 0.15, box.height() * 0.15);
                return;
            case HeadRole::kReused:
                painter.setPen(QPen(reused, line));
                painter.setBrush(to_qcolor(blend(theme_.reused, ground_, 0.88)));
                painter.drawRoundedRect(box, box.height() / 2, box.height() / 2);
                return;
            case HeadRole::kMixed:
                painter.setPen(Qt::NoPen);
                painter.setBrush(own);
                painter.drawPolygon(QPolygonF{box.topLeft(), box.topRight(), box.bottomLeft()});
                painter.setPen(QPen(reused, line));
                painter.setBrush(Qt::NoBrush);
                painter.drawRect(box);
                return;
            case HeadRole::kNone:
                painter.setPen(QPen(to_qcolor(theme_.muted), line));
                painter.drawLine(box.topLeft(), box.bottomRight());
                painter.drawLine(box.bottomLeft(), box.topRight());
                return;
        }
    }

    /// Filled where something is kept for the head, hollow where it costs nothing.
    void paint_owner_mark(QPainter& painter, const QRectF& box, const HeadOwnership& head) const {
        if (head.reads_nothing) return paint_mark(painter, box, HeadRole::kNone);
        const Rgb colour = owner_color(head.hue, theme_);
        const double rounding = box.height() * (head.keeps ? 0.15 : 0.5);
        painter.setPen(head.keeps
                           ? QPen(Qt::NoPen)
                           : QPen(to_qcolor(colour), std::clamp(box.height() * 0.09, 0.6, 1.8)));
        painter.setBrush(to_qcolor(head.keeps ? colour : blend(colour, ground_, 0.7)));
        painter.drawRoundedRect(box, rounding, rounding);
        if (!head.sums || head.second == kOwnHue) return;
        painter.setPen(Qt::NoPen);
        painter.setBrush(to_qcolor(owner_color(head.second, theme_)));
        painter.drawPolygon(QPolygonF{box.bottomRight(),
                                      {box.left() + 0.4 * box.width(), box.bottom()},
                                      {box.right(), box.top() + 0.2 * box.height()}});
    }

    void paint_cell(QPainter& painter, KvTable lane, HeadId head) const {
        const QRectF box = place(layout_.cell_box(lane, head));
        const WiringCell& cell = view_.lane(lane).cells[head.layer][head.head];
        if (ownership_)
            paint_owner_mark(painter, box, ownership_->head(lane, head));
        else
            paint_mark(painter, box, cell.role);
        if (unit_ < kCellTextUnit) return;
        painter.setPen(to_qcolor(cell.role == HeadRole::kOwn ? ground_ : theme_.text));
        painter.drawText(box, Qt::AlignCenter | Qt::TextDontClip,
                         QString::fromStdString(cell_text(cell)));
    }

    bool occurs(HeadRole role) const {
        for (const KvTable lane : layout_.lanes())
            for (const auto& row : view_.lane(lane).cells)
                for (const WiringCell& cell : row)
                    if (cell.role == role) return true;
        return false;
    }

    /// One sample with its name; returns where the next one begins.
    double paint_sample(QPainter& painter, double x, const char* name,
                        const std::function<void(const QRectF&)>& mark) const {
        const double line = painter.fontMetrics().height();
        const double y = size().height() - kLegendRoom + 6;
        mark(QRectF(x, y + 2, 1.3 * line, line - 4));
        painter.setPen(to_qcolor(theme_.text));
        const double wide = painter.fontMetrics().horizontalAdvance(name);
        painter.drawText(QRectF(x + 1.3 * line + 5, y, wide + 4, line),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, name);
        return x + 1.3 * line + wide + 20;
    }

    void paint_legend(QPainter& painter) const {
        double x = 4;
        for (const HeadRole role : kRoles)
            if (!ownership_ && occurs(role))
                x = paint_sample(painter, x, name_of(role),
                                 [&](const QRectF& box) { paint_mark(painter, box, role); });
        if (ownership_)
            for (const OwnerSample& sample : owner_legend(*ownership_))
                x = paint_sample(painter, x, sample.name, [&](const QRectF& box) {
                    paint_owner_mark(painter, box, sample.head);
                });
        if (!options_.notes) return;
        const double line = painter.fontMetrics().height();
        painter.setPen(to_qcolor(theme_.muted));
        painter.drawText(
            QRectF(4, size().height() - kLegendRoom + line + 7, size().width() - 8, 2 * line),
            Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap | Qt::TextDontClip,
            QString::fromStdString(ownership_ ? describe_owners(*ownership_)
                                              : describe_total(view_)));
    }

    const WiringView& view_;
    WiringPageOptions options_;
    const Theme& theme_;
    Rgb ground_;
    double unit_ = 1, left_ = 0;
    WiringLayout layout_;  // behind what fit() sets
    std::optional<WiringOwnership> ownership_;
};

}  // namespace

FigurePage wiring_page(const std::shared_ptr<const WiringView>& view,
                       const WiringPageOptions& options) {
    const QSizeF size = WiringPicture(*view, options).size();
    FigurePage page;
    page.width_in = size.width() / kPixelsPerInch;
    page.height_in = size.height() / kPixelsPerInch;
    page.title = options.title.empty() ? "Wiring of " + view->title : options.title;
    page.description = "Drawn by headroom from the configuration of " + view->title;
    page.paint = [=](QCPPainter& painter) { WiringPicture(*view, options).paint(painter); };
    page.image = [=](double dots) {
        QImage image((size * dots).toSize(), QImage::Format_RGB32);
        image.fill(to_qcolor(figure_theme(options.dark).ground));
        QPainter painter(&image);
        painter.scale(dots, dots);
        WiringPicture(*view, options).paint(painter);
        painter.end();
        return image;
    };
    page.csv = [view] { return wiring_csv(*view); };
    return page;
}

std::string wiring_csv(const WiringView& view) {
    std::string out;
    append_csv_comment(out, "model", view.title);
    append_csv_comment(out, "  total", describe_total(view));
    out += "table,layer,head,source_layer,source_head,weight,learned\n";
    for (const KvTable lane : {KvTable::kKeys, KvTable::kValues})
        for (int l = 0; l < view.n_layer; ++l)
            for (int g = 0; g < view.n_kv_head; ++g) {
                const std::string head =
                    fmt::format("{},{},{}", lane == KvTable::kKeys ? "keys" : "values", l, g);
                const WiringCell& cell = view.lane(lane).cells[l][g];
                for (const HeadSource& source : cell.sources)
                    out +=
                        fmt::format("{},{},{},{},{}\n", head, source.layer, source.head,
                                    source.weight, source.learned == SourceWeight::kFixed ? 0 : 1);
                if (cell.sources.empty()) out += head + ",,,,\n";
            }
    return out;
}

}  // namespace headroom
