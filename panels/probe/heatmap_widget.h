#pragma once

#include <QWidget>

#include "panels/figure/heatmap_arrangement.h"

namespace headroom {

/// Heat maps on the screen, painted as in print. The cell under the pointer tells its value, and is
/// marked in every map of the same size. UI thread only.
class HeatmapWidget : public QWidget {
    Q_OBJECT
  public:
    explicit HeatmapWidget(QWidget* parent = nullptr);

    void show_figure(const HeatmapFigure& figure, bool dark);
    const HeatmapFigure& figure() const { return figure_; }
    const HeatmapLayout& arrangement() const { return layout_; }
    /// Cells that are marked until there is another figure.
    void mark(std::vector<HeatmapCell> cells);
    const std::vector<HeatmapCell>& marked() const { return marks_; }
    /// What the pointer at a place is told; "" beside the maps.
    QString tip_at(QPointF at) const;

  signals:
    /// A cell was pressed with the left button.
    void clicked(int panel, int64_t row, int64_t column);

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    void point_at(std::optional<HeatmapCell> cell);
    QRectF box_of(const HeatmapCell& cell) const;

    HeatmapFigure figure_;
    HeatmapLayout layout_;
    bool dark_ = false;
    std::vector<HeatmapCell> marks_;
    std::optional<HeatmapCell> cell_;  ///< under the pointer
};

}  // namespace headroom
