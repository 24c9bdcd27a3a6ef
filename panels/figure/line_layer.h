#pragma once

#include <QMetaObject>
#include <memory>
#include <optional>

#include <qcustomplot.h>

#include "panels/base/latest_task.h"
#include "panels/figure/line_picture.h"

namespace headroom {

/// Draws the many lines of a plot's first axes in place of graphs, between the graphs that were
/// added before and after it. Painting them takes longer than a frame of a movement, so that a
/// thread of its own does it: until it is done, the last picture stands where its frame has gone
/// to. What is drawn once it is done, and outside of replots, is painted for what is seen. UI
/// thread only.
class LineLayer : public QCPLayerable {
    Q_OBJECT
  public:
    explicit LineLayer(QCustomPlot& plot);
    ~LineLayer() override;

    /// Draws this from now on.
    void stand_in(LineScene scene);
    /// Draws nothing: there are few lines, or others.
    void rest();
    bool stands_in() const { return scene_.has_value(); }
    /// Whether what was drawn last is what was to be drawn.
    bool is_exact() const { return exact_; }
    /// What the last picture took to paint.
    double painting_ms() const { return painted_ ? painted_->took_ms : 0; }

  protected:
    void applyDefaultAntialiasingHint(QCPPainter*) const override {}
    QRect clipRect() const override;
    void draw(QCPPainter* painter) override;

  private:
    /// What makes a picture: the same wish gives the same picture.
    struct Wish {
        LineScene scene;
        int width = 1, height = 1;
        double ratio = 1;

        bool operator==(const Wish&) const = default;
    };
    struct Painted {
        Wish wish;
        LinePicture picture;
        double took_ms = 0;
    };
    using PaintedPointer = std::shared_ptr<const Painted>;

    static PaintedPointer paint(const Wish& wish);
    void ask(const Wish& wish);
    void take(PaintedPointer painted);
    void draw_exactly(QCPPainter& painter, const Painted& painted) const;
    bool draw_moved(QCPPainter& painter, const Wish& wish) const;

    std::optional<LineScene> scene_;  ///< none while resting
    std::optional<Wish> wished_, asked_;
    PaintedPointer painted_;
    bool replotting_ = false, exact_ = true;
    QMetaObject::Connection before_, after_;
    std::unique_ptr<LatestTask<Wish, PaintedPointer>> painter_;  ///< from the first movement on
};

}  // namespace headroom
