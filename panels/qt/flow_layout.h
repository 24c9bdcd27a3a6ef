#pragma once

#include <QLayout>
#include <vector>

namespace headroom {

/// Widgets side by side, and on further lines where the width does not do: nothing of a strip of
/// controls is ever out of reach.
class FlowLayout : public QLayout {
  public:
    explicit FlowLayout(QWidget* parent = nullptr, int gap = 6);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override { return minimumSize(); }
    QSize minimumSize() const override;
    Qt::Orientations expandingDirections() const override { return {}; }
    void setGeometry(const QRect& rect) override;

  private:
    /// Places the items within `rect` (only measures unless `move`); returns the height.
    int arrange(const QRect& rect, bool move) const;

    std::vector<QLayoutItem*> items_;
    int gap_;
};

}  // namespace headroom
