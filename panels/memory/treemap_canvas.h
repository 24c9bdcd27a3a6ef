#pragma once

#include <QWidget>
#include <optional>

#include "panels/base/theme.h"
#include "panels/memory/treemap_layout.h"

namespace headroom {

/// The treemap on the screen: pointing at a rectangle, or the arrows, tell what it is. UI thread
/// only.
class TreemapCanvas : public QWidget {
    Q_OBJECT
  public:
    explicit TreemapCanvas(QWidget* parent = nullptr);

    void show_view(TreemapView view);
    void set_theme(const Theme& theme);
    const TreemapView& view() const { return view_; }
    const TreemapLayout& layout_shown() const { return layout_; }
    std::optional<size_t> chosen() const { return chosen_; }
    /// Middle of a cell on the canvas.
    QPointF middle_of(size_t cell) const;

  signals:
    /// The read-out of the cell that is pointed at; "" for none.
    void pointed(const QString& text);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    QRectF place() const;
    void choose(std::optional<size_t> cell);

    TreemapView view_;
    TreemapLayout layout_;
    std::optional<size_t> chosen_;
    bool dark_ = false;
};

}  // namespace headroom
