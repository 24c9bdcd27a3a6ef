#include "panels/architecture/architecture_painter.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "panels/architecture/label_text.h"
#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

/// Type is set this much larger and scaled down: Qt knows whole pixels only.
constexpr double kTypeScale = 16;
constexpr double kHairline = 0.5, kLine = 0.7, kReuseLine = 1.0;
constexpr double kCorner = 1.8;
constexpr double kTextDrop = 0.355;  ///< of the type size: from the middle of letters to their foot

Rgb blend(Rgb over, Rgb ground, double share) {
    const auto mix = [&](uint8_t a, uint8_t b) {
        return static_cast<uint8_t>(std::lround(share * a + (1 - share) * b));
    };
    return {mix(over.r, ground.r), mix(over.g, ground.g), mix(over.b, ground.b), 255};
}

class DrawingPainter {
  public:
    DrawingPainter(QPainter& painter, bool dark)
        : p_(painter), dark_(dark), theme_(figure_theme(dark)) {}

    void paint(const DrawingLayout& drawing) {
        for (const DrawBox& box : drawing.boxes)
            if (box.role == BoxRole::kFrame) {
                frames_.push_back(box.rect);
                paint_frame(box);
            }
        for (const DrawBox& box : drawing.boxes)
            if (box.changed) paint_halo(box.rect);
        find_shared_stretches(drawing);
        for (const DrawEdge& edge : drawing.edges) paint_edge(edge);
        for (const DrawBox& box : drawing.boxes)
            if (box.role != BoxRole::kFrame) paint_box(box);
        for (const DrawLabel& label : drawing.labels) paint_label(label);
    }

  private:
    Rgb ink_of(Ink ink) const {
        switch (ink) {
            case Ink::kQuery:
                return palette_color(2, dark_);
            case Ink::kKeys:
                return palette_color(0, dark_);
            case Ink::kValues:
                return palette_color(1, dark_);
            case Ink::kLatent:
                return dark_ ? palette_color(7, true) : rgb(0x8f7a00);
            case Ink::kDense:
                return dark_ ? palette_color(3, true) : rgb(0xb0508a);
            case Ink::kPlain:
                break;
        }
        return theme_.ink;
    }
    Rgb halo() const { return dark_ ? rgb(0x6b5a00) : rgb(0xffe680); }
    Rgb tint(Rgb colour, double share) const { return blend(colour, theme_.ground, share); }

    static QRectF rect_of(const DrawRect& r) { return {r.x, r.y, r.w, r.h}; }
    QPen pen(Rgb colour, double width, bool dashed = false) const {
        QPen pen(to_qcolor(colour), width);
        pen.setJoinStyle(Qt::RoundJoin);
        pen.setCapStyle(Qt::FlatCap);
        if (dashed) pen.setDashPattern({2.2, 1.8});
        return pen;
    }

    void paint_frame(const DrawBox& box) {
        p_.setPen(pen(tint(theme_.ink, 0.35), kHairline));
        p_.setBrush(to_qcolor(tint(theme_.ink, 0.035)));
        p_.drawRoundedRect(rect_of(box.rect), 3, 3);
    }

    void paint_halo(const DrawRect& r) {
        p_.setPen(Qt::NoPen);
        p_.setBrush(to_qcolor(halo()));
        p_.drawRoundedRect(rect_of(r).adjusted(-2, -2, 2, 2), 3, 3);
    }

    void paint_box(const DrawBox& box) {
        switch (box.role) {
            case BoxRole::kHeads:
                return paint_heads(box);
            case BoxRole::kSum:
            case BoxRole::kProduct:
            case BoxRole::kAverage:
                return paint_circle(box);
            case BoxRole::kDots:
                return paint_dots(box);
            default:
                break;
        }
        const Rgb ink = ink_of(box.ink);
        const bool plain = box.ink == Ink::kPlain;
        const bool dashed = box.role == BoxRole::kIdentity || box.role == BoxRole::kSource;
        double strength = plain ? 0.05 : 0.13;
        if (box.role == BoxRole::kNorm || box.role == BoxRole::kActivation) strength = 0.10;
        if (box.role == BoxRole::kAttention) strength = 0.07;
        if (dashed) strength = 0;
        const double corner = box.role == BoxRole::kActivation || box.role == BoxRole::kRotary
                                  ? box.rect.h / 2
                                  : kCorner;
        p_.setPen(pen(plain ? tint(ink, 0.75) : ink, dashed ? kLine : kHairline + 0.1, dashed));
        p_.setBrush(to_qcolor(tint(ink, strength)));
        p_.drawRoundedRect(rect_of(box.rect), corner, corner);
        paint_box_text(box, box.role == BoxRole::kSource ? ink : theme_.ink);
    }

    void paint_box_text(const DrawBox& box, Rgb colour) {
        const double room = box.rect.w - 2.4;
        const DrawPoint c = box.rect.centre();
        const bool thin = box.role == BoxRole::kIdentity;
        if (box.note.empty()) {
            text(box.label, c, 6.6, TextAlign::kCentre, colour, false, room);
            return;
        }
        text(box.label, {c.x, c.y - 3.6}, 6.6, TextAlign::kCentre, colour, false, room);
        text(box.note, {c.x, c.y + 4}, 5.6, TextAlign::kCentre,
             thin                           ? theme_.muted
             : box.role == BoxRole::kSource ? colour
                                            : theme_.muted,
             false, room);
    }

    void paint_dots(const DrawBox& box) {
        p_.setPen(pen(tint(theme_.ink, 0.45), kHairline, true));
        p_.setBrush(to_qcolor(theme_.ground));
        p_.drawRoundedRect(rect_of(box.rect), kCorner, kCorner);
        const DrawPoint c = box.rect.centre();
        text(box.label, c, 6.6, TextAlign::kCentre, theme_.muted, false, box.rect.w - 4);
        p_.setPen(Qt::NoPen);
        p_.setBrush(to_qcolor(theme_.muted));
        for (const double x : {box.rect.x + 13.5, box.rect.right() - 13.5})
            for (const double dy : {-3.0, 0.0, 3.0}) p_.drawEllipse(QPointF(x, c.y + dy), 0.7, 0.7);
    }

    void paint_circle(const DrawBox& box) {
        const bool average = box.role == BoxRole::kAverage;
        const Rgb ink = average ? ink_of(Ink::kDense) : theme_.ink;
        const QPointF c(box.rect.centre().x, box.rect.centre().y);
        const double radius = box.rect.w / 2;
        p_.setPen(pen(ink, kLine));
        p_.setBrush(to_qcolor(average ? tint(ink, 0.15) : theme_.ground));
        p_.drawEllipse(c, radius, radius);
        if (average) {
            text("Σ", box.rect.centre(), 5.6, TextAlign::kCentre, ink, true, radius * 2);
        } else if (box.role == BoxRole::kSum) {
            p_.drawLine(c - QPointF(radius, 0), c + QPointF(radius, 0));
            p_.drawLine(c - QPointF(0, radius), c + QPointF(0, radius));
        } else {
            p_.setBrush(to_qcolor(ink));
            p_.setPen(Qt::NoPen);
            p_.drawEllipse(c, 1, 1);
        }
    }

    /// Own heads are filled, reused ones hollow, mixed ones half filled, missing ones struck out.
    void paint_heads(const DrawBox& box) {
        const Rgb ink = box.ink == Ink::kPlain ? tint(theme_.ink, 0.65) : ink_of(box.ink);
        const double count = static_cast<double>(box.heads.size());
        if (count == 0) return;
        const double cell = box.rect.w / count;
        const bool apart = cell >= 2.0;
        size_t begin = 0;
        while (begin < box.heads.size()) {
            size_t end = begin + 1;
            while (!apart && end < box.heads.size() && box.heads[end] == box.heads[begin]) ++end;
            const double inset = apart ? 0.25 : 0;
            QRectF r(box.rect.x + cell * static_cast<double>(begin) + inset, box.rect.y,
                     cell * static_cast<double>(end - begin) - 2 * inset, box.rect.h);
            paint_cell(r, box.heads[begin], ink);
            begin = end;
        }
    }

    void paint_cell(const QRectF& r, HeadRole role, Rgb ink) {
        const double line = std::min(0.5, r.width() / 4);
        const QRectF inner = r.adjusted(line / 2, line / 2, -line / 2, -line / 2);
        p_.setPen(pen(ink, line));
        switch (role) {
            case HeadRole::kOwn:
                p_.setBrush(to_qcolor(ink));
                p_.drawRect(inner);
                break;
            case HeadRole::kReused:
                p_.setBrush(to_qcolor(tint(ink, 0.12)));
                p_.drawRect(inner);
                break;
            case HeadRole::kMixed:
                p_.setBrush(to_qcolor(tint(ink, 0.12)));
                p_.drawRect(inner);
                p_.fillRect(QRectF(r.x(), r.y() + r.height() / 2, r.width(), r.height() / 2),
                            to_qcolor(ink));
                break;
            case HeadRole::kNone:
                p_.setPen(pen(tint(ink, 0.5), line));
                p_.setBrush(Qt::NoBrush);
                p_.drawRect(inner);
                p_.drawLine(inner.bottomLeft(), inner.topRight());
                break;
        }
    }

    using Bundle = std::tuple<EdgeKind, Ink, std::string>;

    /// Edges of one source share its rail, averages share the way to their circle: each stretch is
    /// stroked once, or it would look bolder.
    void find_shared_stretches(const DrawingLayout& drawing) {
        for (const DrawEdge& edge : drawing.edges) {
            if (!edge.dots || edge.path.size() != 4) continue;
            const auto [up, is_new] =
                highest_.try_emplace({edge.kind, edge.ink, edge.from}, edge.path[2].y);
            if (!is_new) up->second = std::min(up->second, edge.path[2].y);
            const auto [out, is_first] =
                farthest_.try_emplace({edge.kind, edge.ink, edge.to}, edge.path[2].x);
            if (!is_first) out->second = std::max(out->second, edge.path[2].x);
        }
    }

    /// The stretch of an edge that no other one strokes.
    std::vector<DrawPoint> own_stretch(const DrawEdge& edge) const {
        if (!edge.dots || edge.path.size() != 4 || edge.changed) return edge.path;
        const bool rail = highest_.at({edge.kind, edge.ink, edge.from}) == edge.path[2].y;
        const bool way = edge.kind != EdgeKind::kAverage ||
                         farthest_.at({edge.kind, edge.ink, edge.to}) == edge.path[2].x;
        return {edge.path.begin() + (rail ? 0 : 2), edge.path.end() - (way ? 0 : 1)};
    }

    void paint_edge(const DrawEdge& edge) {
        if (edge.path.size() < 2) return;
        const bool reuse = edge.kind == EdgeKind::kReuse;
        const bool tied = edge.kind == EdgeKind::kTied;
        const bool average = edge.kind == EdgeKind::kAverage;
        const Rgb ink = tied ? theme_.muted : ink_of(edge.ink);
        const double width = reuse ? kReuseLine : average ? 0.6 : kLine;
        const std::vector<DrawPoint> stretch = own_stretch(edge);
        if (stretch.size() < 2) return paint_edge_ends(edge, ink);
        const QPainterPath path = rounded(stretch, reuse || average ? 1.5 : 2.2);
        if (edge.changed) {
            p_.setBrush(Qt::NoBrush);
            p_.setPen(pen(halo(), width + 3));
            p_.drawPath(path);
        }
        if (edge.lines > 1) {
            paint_streams(edge, path, ink);
            return;
        }
        p_.setBrush(Qt::NoBrush);
        p_.setPen(pen(ink, width, tied || edge.kind == EdgeKind::kLoop));
        p_.drawPath(path);
        paint_edge_ends(edge, ink);
    }

    void paint_edge_ends(const DrawEdge& edge, Rgb ink) {
        const bool reuse = edge.kind == EdgeKind::kReuse, average = edge.kind == EdgeKind::kAverage;
        p_.setPen(Qt::NoPen);
        p_.setBrush(to_qcolor(ink));
        if (edge.dots) {
            const double dot = reuse ? 1.3 : 0.95;
            const DrawPoint from = edge.path.front();
            p_.drawEllipse(QPointF(from.x, from.y), dot, dot);
            if (average && edge.path.size() == 4)
                p_.drawEllipse(QPointF(edge.path[2].x, edge.path[2].y), dot, dot);
        }
        if (edge.arrow) arrow_head(edge.path, reuse ? 3.2 : 2.8);
    }

    /// Parallel lines, at most four: thick strokes of ink and ground over each other.
    void paint_streams(const DrawEdge& edge, const QPainterPath& path, Rgb ink) {
        constexpr double kApart = 1.5, kThin = 0.5;
        const Rgb ground = in_frame(edge.path.back()) ? tint(theme_.ink, 0.035) : theme_.ground;
        p_.setBrush(Qt::NoBrush);
        for (int lines = std::min(edge.lines, 4); lines > 0; lines -= 2) {
            p_.setPen(pen(ink, (lines - 1) * kApart + kThin));
            p_.drawPath(path);
            if (lines == 1) break;
            p_.setPen(pen(ground, (lines - 1) * kApart - kThin));
            p_.drawPath(path);
        }
        p_.setPen(Qt::NoPen);
        p_.setBrush(to_qcolor(ink));
        if (edge.arrow) arrow_head(edge.path, 4);
    }

    bool in_frame(DrawPoint point) const {
        return std::any_of(frames_.begin(), frames_.end(),
                           [&](const DrawRect& frame) { return frame.contains(point); });
    }

    /// A line through the points with its corners rounded off.
    static QPainterPath rounded(const std::vector<DrawPoint>& points, double radius) {
        QPainterPath path(QPointF(points[0].x, points[0].y));
        for (size_t i = 1; i + 1 < points.size(); ++i) {
            const QPointF before(points[i - 1].x, points[i - 1].y), at(points[i].x, points[i].y),
                after(points[i + 1].x, points[i + 1].y);
            const QLineF in(before, at), out(at, after);
            const double r = std::min({radius, in.length() / 2, out.length() / 2});
            if (r < 0.01) {
                path.lineTo(at);
                continue;
            }
            path.lineTo(in.pointAt(1 - r / in.length()));
            path.quadTo(at, out.pointAt(r / out.length()));
        }
        path.lineTo(points.back().x, points.back().y);
        return path;
    }

    void arrow_head(const std::vector<DrawPoint>& points, double length) {
        const QPointF tip(points.back().x, points.back().y);
        size_t i = points.size() - 1;
        QPointF before;
        do {
            --i;
            before = {points[i].x, points[i].y};
        } while (i > 0 && QLineF(before, tip).length() < 0.01);
        const QLineF line(before, tip);
        if (line.length() < 0.01) return;
        const QPointF along = (tip - before) / line.length();
        const QPointF across(-along.y(), along.x());
        const double size = std::min(length, line.length());
        const QPointF base = tip - along * size;
        p_.drawPolygon(QPolygonF({tip, base + across * size * 0.42, base - across * size * 0.42}));
    }

    void paint_label(const DrawLabel& label) {
        const Rgb colour = label.ink != Ink::kPlain ? ink_of(label.ink)
                           : label.muted            ? theme_.muted
                                                    : theme_.ink;
        text(label.text, label.at, label.points, label.align, colour, label.bold, 0);
    }

    /// Sets one line around a point; narrower where it would be wider than `room` (0: no limit).
    void text(const std::string& label, DrawPoint at, double points, TextAlign align, Rgb colour,
              bool bold, double room) {
        const std::vector<LabelRun> runs = split_label(label);
        const auto font_of = [&](const LabelRun& run) {
            QFont font = figure_font(10, bold);
            const double share = run.place == LabelRun::kBase ? 1 : 0.74;
            font.setPixelSize(static_cast<int>(std::lround(points * share * kTypeScale)));
            return font;
        };
        double width = 0;
        for (const LabelRun& run : runs)
            width +=
                QFontMetricsF(font_of(run)).horizontalAdvance(QString::fromStdString(run.text));
        width /= kTypeScale;
        const double squeeze = room > 0 && width > room ? room / width : 1;
        const double shown = width * squeeze;
        const double left = align == TextAlign::kLeft     ? at.x
                            : align == TextAlign::kCentre ? at.x - shown / 2
                                                          : at.x - shown;
        p_.save();
        p_.translate(left, at.y + points * kTextDrop * squeeze);
        p_.scale(squeeze / kTypeScale, squeeze / kTypeScale);
        p_.setPen(to_qcolor(colour));
        double x = 0;
        for (const LabelRun& run : runs) {
            const QFont font = font_of(run);
            const QString string = QString::fromStdString(run.text);
            const double shift = run.place == LabelRun::kBelow   ? 0.2
                                 : run.place == LabelRun::kAbove ? -0.36
                                                                 : 0;
            p_.setFont(font);
            p_.drawText(QPointF(x, shift * points * kTypeScale), string);
            x += QFontMetricsF(font).horizontalAdvance(string);
        }
        p_.restore();
    }

    QPainter& p_;
    bool dark_;
    const FigureTheme& theme_;
    std::vector<DrawRect> frames_;
    std::map<Bundle, double> highest_, farthest_;
};

}  // namespace

void paint_drawing(QPainter& painter, const DrawingLayout& drawing, bool dark, double scale) {
    painter.save();
    painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    painter.scale(scale, scale);
    DrawingPainter(painter, dark).paint(drawing);
    painter.restore();
}

}  // namespace headroom
