#pragma once

#include <QString>
#include <QStyledItemDelegate>

class QFontMetrics;

namespace headroom {

/// A name such as "SkipV1Former · lr 1e-3  ×2" in `room` pixels. What follows its last " · " tells
/// runs of one variant apart, so the variant's name gives way first: "Skip… · lr 1e-3  ×2".
QString elided_name(const QString& name, const QFontMetrics& metrics, int room);

/// Paints names of a tree that way.
class NameDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace headroom
