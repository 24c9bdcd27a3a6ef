#include "panels/qt/elided_name.h"

#include <QFontMetrics>

namespace headroom {

QString elided_name(const QString& name, const QFontMetrics& metrics, int room) {
    if (metrics.horizontalAdvance(name) <= room) return name;
    const QString dot = QStringLiteral(" · ");
    const qsizetype end = name.lastIndexOf(dot);
    if (end <= 0) return metrics.elidedText(name, Qt::ElideMiddle, room);
    const QString rest = QChar(' ') + name.mid(end + dot.size());
    const int left = room - metrics.horizontalAdvance(rest);
    if (left < metrics.horizontalAdvance(name.left(1) + QChar(0x2026)))
        return metrics.elidedText(name, Qt::ElideLeft, room);
    return metrics.elidedText(name.left(end), Qt::ElideRight, left) + rest;
}

}  // namespace headroom
