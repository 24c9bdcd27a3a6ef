#include "panels/jobs/job_delegate.h"

#include <QApplication>
#include <QPainter>

#include "panels/base/rgb.h"
#include "panels/jobs/job_table_model.h"
#include "panels/qt/elided_name.h"
#include "panels/qt/qt_theme.h"
#include "panels/qt/run_dot.h"

namespace headroom {

namespace {

constexpr int kPadding = 8;

Rgb tone_color(JobTone tone, const Theme& theme) {
    switch (tone) {
        case JobTone::kActive:
            return theme.accent;
        case JobTone::kGood:
            return theme.good;
        case JobTone::kWarning:
            return theme.warning;
        case JobTone::kBad:
            return theme.bad;
        case JobTone::kNeutral:
            break;
    }
    return theme.muted;
}

void paint_bar(QPainter& painter, QRect cell, const QModelIndex& index, const Theme& theme) {
    const QString steps = index.data().toString();
    const QVariant progress = index.data(JobTableModel::kProgressRole);
    const auto tone = static_cast<JobTone>(index.data(JobTableModel::kToneRole).toInt());
    painter.setPen(to_qcolor(theme.text));
    constexpr int kBarHeight = 4;
    const int line = painter.fontMetrics().height();
    const int top = cell.top() + (cell.height() - line - kBarHeight - 3) / 2;
    const QRect text(cell.left(), top, cell.width(), line);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, steps);
    if (!progress.isValid()) return;
    painter.setPen(to_qcolor(theme.muted));
    const QString share = QString("%1 %").arg(int(progress.toDouble() * 100));
    if (painter.fontMetrics().horizontalAdvance(steps + "  " + share) <= text.width())
        painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, share);
    const QRectF track(cell.left(), top + line + 3, cell.width(), kBarHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(to_qcolor(blend(theme.panel, theme.border, 0.8)));
    painter.drawRoundedRect(track, 2, 2);
    QRectF done = track;
    done.setWidth(track.width() * progress.toDouble());
    painter.setBrush(to_qcolor(tone_color(tone, theme)));
    if (done.width() > 0) painter.drawRoundedRect(done, 2, 2);
}

void paint_name(QPainter& painter, QRect cell, const QModelIndex& index, const Theme& theme) {
    const int color = index.data(JobTableModel::kColorRole).toInt();
    const int shade = index.data(JobTableModel::kShadeRole).toInt();
    constexpr double kRadius = 4.5;
    paint_run_dot(painter, QPointF(cell.left() + kRadius, cell.center().y() + 0.5), kRadius, color,
                  shade, true, theme);
    painter.setPen(to_qcolor(theme.text));
    const QRect text = cell.adjusted(static_cast<int>(2 * kRadius) + 7, 0, 0, 0);
    const QStringList lines =
        name_lines(index.data().toString(), painter.fontMetrics(), text.width());
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, lines.join('\n'));
}

}  // namespace

void JobDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const int column = index.column();
    if (column != JobTableModel::kName && column != JobTableModel::kState &&
        column != JobTableModel::kProgress) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    const Theme& theme = current_theme();
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    ground.text.clear();
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);

    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setFont(option.font);
    const QRect cell = option.rect.adjusted(kPadding, 0, -kPadding, 0);
    if (column == JobTableModel::kProgress) {
        paint_bar(*painter, cell, index, theme);
    } else if (column == JobTableModel::kName) {
        paint_name(*painter, cell, index, theme);
    } else {
        const auto tone = static_cast<JobTone>(index.data(JobTableModel::kToneRole).toInt());
        painter->setPen(to_qcolor(tone_color(tone, theme)));
        painter->drawText(cell, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
    }
    painter->restore();
}

QSize JobDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(std::max(size.height(), option.fontMetrics.height() * 2 + 2));
    return size;
}

}  // namespace headroom
