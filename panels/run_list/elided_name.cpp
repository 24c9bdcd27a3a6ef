#include "panels/run_list/elided_name.h"

#include <QApplication>
#include <QFontMetrics>
#include <QStyle>

namespace headroom {

QString elided_name(const QString& name, const QFontMetrics& metrics, int room) {
    if (metrics.horizontalAdvance(name) <= room) return name;
    const qsizetype end = name.lastIndexOf(QStringLiteral(" · "));
    if (end > 0) {
        const QString rest = name.mid(end);
        const int left = room - metrics.horizontalAdvance(rest);
        if (left >= metrics.horizontalAdvance(name.left(1) + QChar(0x2026)))
            return metrics.elidedText(name.left(end), Qt::ElideRight, left) + rest;
    }
    return metrics.elidedText(name, Qt::ElideMiddle, room);
}

void NameDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (option->text.isEmpty()) return;
    const QStyle* style =
        option->widget != nullptr ? option->widget->style() : QApplication::style();
    // The style leaves a margin on both sides of the text.
    const int margin =
        style->pixelMetric(QStyle::PM_FocusFrameHMargin, nullptr, option->widget) + 1;
    const int room =
        style->subElementRect(QStyle::SE_ItemViewItemText, option, option->widget).width() -
        2 * margin;
    option->text = elided_name(option->text, option->fontMetrics, room);
}

}  // namespace headroom
