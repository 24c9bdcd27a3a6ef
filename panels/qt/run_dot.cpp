#include "panels/qt/run_dot.h"

#include <QPainter>
#include <QPolygonF>

#include "panels/figure/palette.h"
#include "panels/qt/qt_theme.h"

namespace headroom {

void paint_run_dot(QPainter& painter, const QPointF& centre, double radius, int color, int shade,
                   bool filled, const Theme& theme) {
    const QColor ink = to_qcolor(palette_color(color, shade, theme.dark));
    const double line = 0.4 * radius;
    painter.setPen(QPen(ink, line));
    painter.setBrush(filled ? QBrush(ink) : QBrush(Qt::NoBrush));
    const double r = radius - line / 2;
    const int round = color / kPaletteSize % 3;
    if (round == 0) {
        painter.drawEllipse(centre, r, r);
    } else if (round == 1) {
        const double side = 0.88 * r;  // of about the disc's area
        painter.drawRect(QRectF(centre.x() - side, centre.y() - side, 2 * side, 2 * side));
    } else {
        const double reach = 1.2 * r;
        painter.drawPolygon(QPolygonF({centre + QPointF(0, -reach), centre + QPointF(reach, 0),
                                       centre + QPointF(0, reach), centre + QPointF(-reach, 0)}));
    }
}

}  // namespace headroom
