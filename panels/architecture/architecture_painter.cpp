#include "panels/architecture/architecture_painter.h"

#include <QPainter>
#include <algorithm>

#include "panels/architecture/drawing_inks.h"
#include "panels/architecture/edge_painter.h"
#include "panels/architecture/type_sizes.h"
#include "panels/qt/qt_theme.h"

namespace headroom {
namespace {

constexpr double kHairline = 0.5, kLine = 0.7;
constexpr double kCorner = 1.8;
class DrawingPainter {
  public:
    DrawingPainter(QPainter& painter, bool dark) : p_(painter), inks_(dark) {}

    void paint(const DrawingLayout& drawing) {
        for (const DrawBox& box : drawing.boxes)
            if (box.role == BoxRole::kFrame) paint_frame(box);
        for (const DrawBox& box : drawing.boxes)
            if (box.changed) paint_halo(box.rect);
        EdgePainter edges(p_, inks_, drawing);
        for (const DrawEdge& edge : drawing.edges) edges.paint(edge);
        for (const DrawBox& box : drawing.boxes)
            if (box.role != BoxRole::kFrame) paint_box(box);
        for (const DrawLabel& label : drawing.labels) paint_label(label);
    }

  private:
    static QRectF rect_of(const DrawRect& r) { return {r.x, r.y, r.w, r.h}; }
    void paint_frame(const DrawBox& box) {
        p_.setPen(DrawingInks::pen(inks_.tint(inks_.text(), 0.35), kHairline));
        p_.setBrush(to_qcolor(inks_.frame()));
        p_.drawRoundedRect(rect_of(box.rect), 3, 3);
    }

    void paint_halo(const DrawRect& r) {
        p_.setPen(Qt::NoPen);
        p_.setBrush(to_qcolor(inks_.halo()));
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
        const Rgb ink = inks_.colour(box.ink);
        const bool plain = box.ink == Ink::kPlain;
        const bool dashed = box.role == BoxRole::kIdentity || box.role == BoxRole::kSource;
        double strength = plain ? 0.05 : 0.13;
        if (box.role == BoxRole::kNorm || box.role == BoxRole::kActivation) strength = 0.10;
        if (box.role == BoxRole::kAttention) strength = 0.07;
        if (dashed) strength = 0;
        const double corner = box.role == BoxRole::kActivation || box.role == BoxRole::kRotary
                                  ? box.rect.h / 2
                                  : kCorner;
        p_.setPen(DrawingInks::pen(plain ? inks_.tint(ink, 0.75) : ink,
                                   dashed ? kLine : kHairline + 0.1, dashed));
        p_.setBrush(to_qcolor(inks_.tint(ink, strength)));
        p_.drawRoundedRect(rect_of(box.rect), corner, corner);
        paint_box_text(box, box.role == BoxRole::kSource ? ink : inks_.text());
    }

    void paint_box_text(const DrawBox& box, Rgb colour) {
        const double room = box.rect.w - 2.4;
        const DrawPoint c = box.rect.centre();
        const LabelStyle label{kLabelType, TextAlign::kCentre, colour, false, room};
        if (box.note.empty()) return paint_text(p_, box.label, c, label);
        const Rgb note = box.held                       ? inks_.held()
                         : box.role == BoxRole::kSource ? colour
                                                        : inks_.muted();
        paint_text(p_, box.label, {c.x, c.y - 3.6}, label);
        paint_text(p_, box.note, {c.x, c.y + 4},
                   {kNoteType, TextAlign::kCentre, note, false, room});
    }

    void paint_dots(const DrawBox& box) {
        p_.setPen(DrawingInks::pen(inks_.tint(inks_.text(), 0.45), kHairline, true));
        p_.setBrush(to_qcolor(inks_.ground()));
        p_.drawRoundedRect(rect_of(box.rect), kCorner, kCorner);
        const DrawPoint c = box.rect.centre();
        paint_text(p_, box.label, c,
                   {kLabelType, TextAlign::kCentre, inks_.muted(), false, box.rect.w - 4});
        p_.setPen(Qt::NoPen);
        p_.setBrush(to_qcolor(inks_.muted()));
        for (const double x : {box.rect.x + 13.5, box.rect.right() - 13.5})
            for (const double dy : {-3.0, 0.0, 3.0}) p_.drawEllipse(QPointF(x, c.y + dy), 0.7, 0.7);
    }

    void paint_circle(const DrawBox& box) {
        const bool average = box.role == BoxRole::kAverage;
        const Rgb ink = average ? inks_.colour(Ink::kDense) : inks_.text();
        const QPointF c(box.rect.centre().x, box.rect.centre().y);
        const double radius = box.rect.w / 2;
        p_.setPen(DrawingInks::pen(ink, kLine));
        p_.setBrush(to_qcolor(average ? inks_.tint(ink, 0.15) : inks_.ground()));
        p_.drawEllipse(c, radius, radius);
        if (average) {
            paint_text(p_, "Σ", box.rect.centre(), {kNoteType, TextAlign::kCentre, ink, true});
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
        const Rgb ink =
            box.ink == Ink::kPlain ? inks_.tint(inks_.text(), 0.65) : inks_.colour(box.ink);
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
        p_.setPen(DrawingInks::pen(ink, line));
        switch (role) {
            case HeadRole::kOwn:
                p_.setBrush(to_qcolor(ink));
                p_.drawRect(inner);
                break;
            case HeadRole::kReused:
                p_.setBrush(to_qcolor(inks_.tint(ink, 0.12)));
                p_.drawRect(inner);
                break;
            case HeadRole::kMixed:
                p_.setBrush(to_qcolor(inks_.tint(ink, 0.12)));
                p_.drawRect(inner);
                p_.fillRect(QRectF(r.x(), r.y() + r.height() / 2, r.width(), r.height() / 2),
                            to_qcolor(ink));
                break;
            case HeadRole::kNone:
                p_.setPen(DrawingInks::pen(inks_.tint(ink, 0.5), line));
                p_.setBrush(Qt::NoBrush);
                p_.drawRect(inner);
                p_.drawLine(inner.bottomLeft(), inner.topRight());
                break;
        }
    }

    void paint_label(const DrawLabel& label) {
        const Rgb colour = label.ink != Ink::kPlain ? inks_.colour(label.ink)
                           : label.muted            ? inks_.muted()
                                                    : inks_.text();
        paint_text(p_, label.text, label.at, {label.points, label.align, colour, label.bold});
    }

    QPainter& p_;
    DrawingInks inks_;
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
