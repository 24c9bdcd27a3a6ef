#include "panels/run_list/run_list_icons.h"

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <cmath>
#include <functional>
#include <numbers>

#include "panels/qt/qt_theme.h"
#include "panels/qt/run_dot.h"

namespace headroom {
namespace {

constexpr int kSide = 16;

QIcon drawn(double ratio, const std::function<void(QPainter&)>& draw) {
    const int side = static_cast<int>(std::ceil(kSide * ratio));
    QPixmap pixmap(side, side);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    draw(painter);
    painter.end();
    QIcon icon;
    // Selected rows keep their colours.
    for (const QIcon::Mode mode : {QIcon::Normal, QIcon::Selected}) icon.addPixmap(pixmap, mode);
    return icon;
}

}  // namespace

QIcon run_dot(int color, int shade, bool shown, const Theme& theme, double ratio) {
    return drawn(ratio, [&](QPainter& painter) {
        paint_run_dot(painter, QPointF(8, 8), 5.2, color, shade, shown, theme);
    });
}

QIcon eye_icon(Eye eye, const Theme& theme, double ratio) {
    const bool closed = eye == Eye::kClosed;
    const QColor ink = to_qcolor(closed ? theme.muted : theme.text);
    const double upper = eye == Eye::kOpen ? 1.5 : closed ? 13 : 8;  // the middle of the upper lid
    return drawn(ratio, [&](QPainter& painter) {
        QPainterPath lid(QPointF(1.5, 8));
        lid.quadTo(8, upper, 14.5, 8);
        if (!closed) lid.quadTo(8, 14.5, 1.5, 8);
        painter.setPen(QPen(ink, 1.3));
        painter.drawPath(lid);
        if (closed) return;
        painter.setBrush(ink);
        if (eye == Eye::kHalfOpen) painter.setClipPath(lid);  // the lid covers the rest
        painter.drawEllipse(QPointF(8, 8), 1.7, 1.7);
    });
}

QIcon star_icon(bool filled, const Theme& theme, double ratio) {
    return drawn(ratio, [&](QPainter& painter) {
        QPolygonF star;
        for (int i = 0; i < 10; ++i) {
            const double angle = std::numbers::pi * (i / 5.0 - 0.5);
            const double radius = i % 2 == 0 ? 6.6 : 2.8;
            star << QPointF(8 + radius * std::cos(angle), 8.4 + radius * std::sin(angle));
        }
        painter.setPen(QPen(to_qcolor(filled ? theme.accent : theme.border), 1.1));
        if (filled) painter.setBrush(to_qcolor(theme.accent));
        painter.drawPolygon(star);
    });
}

}  // namespace headroom
