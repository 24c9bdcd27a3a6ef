#include "panels/architecture/edge_painter.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "panels/qt/qt_theme.h"

namespace headroom {
namespace {

constexpr double kEdgeLine = 0.7, kReuseLine = 1.0, kAverageLine = 0.6;

/// A line through the points with its corners rounded off.
QPainterPath rounded(const std::vector<DrawPoint>& points, double radius) {
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

}  // namespace

/// Edges of one source share its rail, averages share the way to their circle: each stretch is
/// stroked once, or it would look bolder.
EdgePainter::EdgePainter(QPainter& painter, const DrawingInks& inks, const DrawingLayout& drawing)
    : p_(painter), inks_(inks) {
    for (const DrawBox& box : drawing.boxes)
        if (box.role == BoxRole::kFrame) frames_.push_back(box.rect);
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
std::vector<DrawPoint> EdgePainter::own_stretch(const DrawEdge& edge) const {
    if (!edge.dots || edge.path.size() != 4 || edge.changed) return edge.path;
    const bool rail = highest_.at({edge.kind, edge.ink, edge.from}) == edge.path[2].y;
    const bool way = edge.kind != EdgeKind::kAverage ||
                     farthest_.at({edge.kind, edge.ink, edge.to}) == edge.path[2].x;
    return {edge.path.begin() + (rail ? 0 : 2), edge.path.end() - (way ? 0 : 1)};
}

void EdgePainter::paint(const DrawEdge& edge) {
    if (edge.path.size() < 2) return;
    const bool reuse = edge.kind == EdgeKind::kReuse;
    const bool tied = edge.kind == EdgeKind::kTied;
    const bool average = edge.kind == EdgeKind::kAverage;
    const Rgb ink = tied ? inks_.muted() : inks_.colour(edge.ink);
    const double width = reuse ? kReuseLine : average ? kAverageLine : kEdgeLine;
    const std::vector<DrawPoint> stretch = own_stretch(edge);
    if (stretch.size() < 2) return paint_ends(edge, ink);
    const QPainterPath path = rounded(stretch, reuse || average ? 1.5 : 2.2);
    if (edge.changed) {
        p_.setBrush(Qt::NoBrush);
        p_.setPen(DrawingInks::pen(inks_.halo(), width + 3));
        p_.drawPath(path);
    }
    if (edge.lines > 1) {
        paint_streams(edge, path, ink);
        return;
    }
    p_.setBrush(Qt::NoBrush);
    p_.setPen(DrawingInks::pen(ink, width, tied || edge.kind == EdgeKind::kLoop));
    p_.drawPath(path);
    paint_ends(edge, ink);
}

void EdgePainter::paint_ends(const DrawEdge& edge, Rgb ink) {
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
void EdgePainter::paint_streams(const DrawEdge& edge, const QPainterPath& path, Rgb ink) {
    constexpr double kApart = 1.5, kThin = 0.5;
    const Rgb ground = in_frame(edge.path.back()) ? inks_.frame() : inks_.ground();
    p_.setBrush(Qt::NoBrush);
    for (int lines = std::min(edge.lines, 4); lines > 0; lines -= 2) {
        p_.setPen(DrawingInks::pen(ink, (lines - 1) * kApart + kThin));
        p_.drawPath(path);
        if (lines == 1) break;
        p_.setPen(DrawingInks::pen(ground, (lines - 1) * kApart - kThin));
        p_.drawPath(path);
    }
    p_.setPen(Qt::NoPen);
    p_.setBrush(to_qcolor(ink));
    if (edge.arrow) arrow_head(edge.path, 4);
}

bool EdgePainter::in_frame(DrawPoint point) const {
    return std::any_of(frames_.begin(), frames_.end(),
                       [&](const DrawRect& frame) { return frame.contains(point); });
}

void EdgePainter::arrow_head(const std::vector<DrawPoint>& points, double length) {
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

}  // namespace headroom
