#include "panels/qt/elided_name.h"

#include <QFontMetrics>

namespace headroom {
namespace {

/// Where a name can go on in another line, the best place first: behind what the variant is called,
/// else as far to the right as the first line has room for. -1 where it cannot.
qsizetype break_of(const QString& name, const QFontMetrics& metrics, int room) {
    const qsizetype dot = name.lastIndexOf(QStringLiteral(" · "));
    if (dot > 0) return dot;
    qsizetype best = -1;
    for (qsizetype i = 1; i + 1 < name.size(); ++i) {
        const bool separates = QStringLiteral(" -_/+,").contains(name[i - 1]);
        if (separates && metrics.horizontalAdvance(name.left(i).trimmed()) <= room) best = i;
    }
    return best;
}

}  // namespace

QStringList name_lines(const QString& name, const QFontMetrics& metrics, int room) {
    if (metrics.horizontalAdvance(name) <= room) return {name};
    const qsizetype at = break_of(name, metrics, room);
    if (at < 0) return {elided_name(name, metrics, room)};
    QString rest = name.mid(at).trimmed();
    if (rest.startsWith(QStringLiteral("· "))) rest.remove(0, 2);
    return {metrics.elidedText(name.left(at).trimmed(), Qt::ElideMiddle, room),
            elided_name(rest, metrics, room)};
}

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
