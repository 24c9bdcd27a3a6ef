#include "panels/qt/elided_name.h"

#include <QFontMetrics>
#include <algorithm>

namespace headroom {
namespace {

constexpr QChar kDots(0x2026);

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

/// "weight_decay 0.1" whose key gives way, not its value ("weight… 0.1"): half a number is another
/// one, and so is min_lr without its min_.
QString elided_one(const QString& setting, const QFontMetrics& metrics, int room) {
    const qsizetype space = setting.indexOf(' ');
    if (space > 0) {
        const QString tail = setting.mid(space);
        const int left = room - metrics.horizontalAdvance(tail);
        if (left >= metrics.horizontalAdvance(setting.left(1) + kDots))
            return metrics.elidedText(setting.left(space), Qt::ElideRight, left) + tail;
    }
    return metrics.elidedText(setting, Qt::ElideRight, room);
}

/// "weight_decay 0.1, seed 2": the first key gives way, then whole settings ("…, seed 2").
QString elided_setting(const QString& setting, const QFontMetrics& metrics, int room) {
    const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= room; };
    if (fits(setting)) return setting;
    const QString comma = QStringLiteral(", ");
    const QString first = elided_one(setting, metrics, room);
    if (fits(first) && !first.endsWith(kDots)) return first;
    qsizetype at = setting.indexOf(comma);
    if (at < 0) return first;
    for (; at >= 0; at = setting.indexOf(comma, at + 1))
        if (const QString rest = kDots + setting.mid(at); fits(rest)) return rest;
    const QString before = kDots + comma;
    const QString last = setting.mid(setting.lastIndexOf(comma) + comma.size());
    return before + elided_one(last, metrics, room - metrics.horizontalAdvance(before));
}

}  // namespace

QStringList name_lines(const QString& name, const QFontMetrics& metrics, int room) {
    if (metrics.horizontalAdvance(name) <= room) return {name};
    const qsizetype at = break_of(name, metrics, room);
    if (at < 0) return {elided_name(name, metrics, room)};
    QString rest = name.mid(at).trimmed();
    if (rest.startsWith(QStringLiteral("· "))) rest.remove(0, 2);
    return {metrics.elidedText(name.left(at).trimmed(), Qt::ElideMiddle, room),
            elided_setting(rest, metrics, room)};
}

QString elided_name(const QString& name, const QFontMetrics& metrics, int room) {
    if (metrics.horizontalAdvance(name) <= room) return name;
    const QString dot = QStringLiteral(" · ");
    const qsizetype end = name.lastIndexOf(dot);
    if (end <= 0) return metrics.elidedText(name, Qt::ElideMiddle, room);
    const QString variant = name.left(end), setting = name.mid(end + dot.size());
    const int space = metrics.horizontalAdvance(' ');
    int left = room - space - metrics.horizontalAdvance(setting);
    if (left < metrics.horizontalAdvance(variant.left(1) + kDots)) {
        // Both stay: two variants of one setting are not to look the same.
        constexpr qsizetype kBeginning = 5;
        constexpr double kShare = 0.4;
        left = std::min({metrics.horizontalAdvance(variant),
                         metrics.horizontalAdvance(variant.left(kBeginning) + kDots),
                         static_cast<int>(kShare * room)});
    }
    const QString begins = metrics.elidedText(variant, Qt::ElideRight, left);
    const QString elided =
        begins + ' ' +
        elided_setting(setting, metrics, room - space - metrics.horizontalAdvance(begins));
    return metrics.horizontalAdvance(elided) <= room
               ? elided
               : metrics.elidedText(name, Qt::ElideLeft, room);
}

}  // namespace headroom
