#pragma once

#include <QElapsedTimer>
#include <QPointer>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <qcustomplot.h>

#include "panels/figure/figure_renderer.h"
#include "panels/figure/zoom.h"

class QRubberBand;

namespace headroom {

/// A figure on the screen, drawn by the same renderer as in print, that a person can move about in:
/// pointing = what stands there (figure_readout.h), drag = zoom into the box, wheel = zoom at the
/// pointer (over an axis: that axis alone), middle or Shift drag = pan, Ctrl drag = choose a
/// stretch of x, double click = fit. UI thread only.
class FigureChart : public QCustomPlot {
    Q_OBJECT
  public:
    explicit FigureChart(QWidget* parent = nullptr);
    ~FigureChart() override;

    void show_figure(const Figure& figure, bool dark);
    /// The figure with the ranges that are visible now.
    Figure figure() const;
    /// Whether a tooltip says what the pointer is at; otherwise whoever heeds hovered() does.
    void set_readout(bool on) { reads_out_ = on; }
    bool is_dark() const { return dark_; }
    /// Whether the drawing shows what it will show if nobody moves; while one moves about among
    /// very many lines, their last picture is moved along.
    bool is_exact() const { return renderer_->is_exact(); }
    double painting_ms() const { return renderer_->painting_ms(); }
    /// Makes these ranges visible, as if the person had zoomed there.
    void look_at(Range x, Range y);
    /// Marks a stretch of the x axis, on the screen alone, until there is another or the axis comes
    /// to mean something else.
    void shade(std::optional<Range> x);
    std::optional<Range> shaded() const { return shaded_; }
    /// Steps back and forth through the ranges that were looked at.
    void undo_zoom();
    void redo_zoom();
    /// Forgets them; call it when the axes come to mean something else.
    void clear_history();

  signals:
    /// The person chose other ranges.
    void zoomed_to(headroom::Range x, headroom::Range y);
    /// undo_zoom() goes back one step more.
    void stepped();
    void fit_asked();
    /// The person chose a stretch of the x axis, to be told about it.
    void stretch_chosen(headroom::Range x);
    /// The pointer is over the drawing area, at these values of the axes.
    void hovered(double x, double y, const QPoint& position);
    void left();
    void legend_clicked(const QString& id, Qt::MouseButton button, Qt::KeyboardModifiers modifiers);

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    enum class Drag { kNone, kBox, kPan, kStretch };

    Point place_at(const QPointF& position) const;
    bool is_inside(const QPointF& position) const;
    QString legend_id_at(const QPointF& position) const;
    Frame frame() const;
    void go_to(const Frame& frame, bool is_step);
    void pan_to(const QPoint& position);
    void remember(const Frame& frame);
    void draw_box(const QPoint& position);
    Range stretch_to(const QPoint& position) const;
    void zoom_into_box(const QPoint& position);
    void show_readout(const Point& at, const QPoint& position);
    void draw_now();
    void draw_shade();

    std::unique_ptr<FigureRenderer> renderer_;
    Figure figure_;
    bool dark_ = false, reads_out_ = true;
    Drag drag_ = Drag::kNone;
    QPoint drag_start_;
    Frame drag_frame_;
    QRubberBand* box_;
    std::vector<Frame> past_, future_;
    std::optional<Range> shaded_;
    QPointer<QCPItemRect> shade_;
};

}  // namespace headroom
