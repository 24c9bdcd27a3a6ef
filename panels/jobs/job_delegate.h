#pragma once

#include <QStyledItemDelegate>

namespace headroom {

/// Paints what plain text cannot say: the run's colour as a dot before its name, its state in the
/// state's colour, its progress as a bar with the steps written beside it.
class JobDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace headroom
