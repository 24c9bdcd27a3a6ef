#pragma once

#include <optional>

#include <qcustomplot.h>

namespace headroom {

/// A legend's entry that keeps its size and, on the screen, its picture: laying out and shaping the
/// names of a hundred runs takes longer than a frame of a movement. Its name, font and colour are
/// those that it had when it was first laid out.
class LegendEntry : public QCPPlottableLegendItem {
    Q_OBJECT
  public:
    LegendEntry(QCPLegend* legend, QCPAbstractPlottable* plottable, bool on_screen)
        : QCPPlottableLegendItem(legend, plottable), on_screen_(on_screen) {}

  protected:
    void draw(QCPPainter* painter) override;
    QSize minimumOuterSizeHint() const override;

  private:
    bool on_screen_;
    QPixmap picture_;
    mutable std::optional<QSize> size_;
};

}  // namespace headroom
