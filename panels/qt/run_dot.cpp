#include "panels/qt/run_dot.h"

#include <QLineF>
#include <QPainter>
#include <QPolygonF>

#include "panels/figure/palette.h"
#include "panels/qt/qt_theme.h"

namespace headroom {
namespace {

/// A triangle about `centre` with a corner above it, or below for a negative reach.
QPolygonF triangle(const QPointF& centre, double reach) {
    constexpr double kHalfBase = 0.95, kBelow = 0.62;
    const double base = kHalfBase * (reach < 0 ? -reach : reach);
    return {{centre + QPointF(0, -reach), centre + QPointF(base, kBelow * reach),
             centre + QPointF(-base, kBelow * reach)}};
}

}  // namespace

void paint_run_dot(QPainter& painter, const QPointF& centre, double radius, int color, int shade,
                   bool filled, const Theme& theme) {
    const QColor ink = to_qcolor(palette_color(color, shade, theme.dark));
    const double line = 0.4 * radius;
    painter.setPen(QPen(ink, line));
    painter.setBrush(filled ? QBrush(ink) : QBrush(Qt::NoBrush));
    const double r = radius - line / 2, side = 0.88 * r, reach = 1.2 * r;
    switch (run_style(color, shade).marker) {
        case Marker::kNone:
        case Marker::kCircle:
            return painter.drawEllipse(centre, r, r);
        case Marker::kSquare:
            return painter.drawRect(
                QRectF(centre.x() - side, centre.y() - side, 2 * side, 2 * side));
        case Marker::kTriangle:
            return painter.drawPolygon(triangle(centre, reach));
        case Marker::kTriangleDown:
            return painter.drawPolygon(triangle(centre, -reach));
        case Marker::kDiamond:
            return painter.drawPolygon(
                QPolygonF({centre + QPointF(0, -reach), centre + QPointF(reach, 0),
                           centre + QPointF(0, reach), centre + QPointF(-reach, 0)}));
        case Marker::kCross:
        case Marker::kPlus:
            break;
    }
    // Nothing to fill: those that are hidden are thin.
    painter.setPen(QPen(ink, filled ? 0.62 * radius : 0.24 * radius));
    const bool upright = run_style(color, shade).marker == Marker::kPlus;
    const QPointF one = upright ? QPointF(r, 0) : QPointF(side, side);
    const QPointF other = upright ? QPointF(0, r) : QPointF(side, -side);
    painter.drawLine(QLineF(centre - one, centre + one));
    painter.drawLine(QLineF(centre - other, centre + other));
}

}  // namespace headroom
