#pragma once

#include <QPointer>
#include <QWidget>
#include <optional>

#include "panels/architecture/drawing_layout.h"
#include "panels/base/theme.h"

namespace headroom {

/// A drawing that one can look around in: the wheel zooms at the cursor, dragging pans, a double
/// click fits, pointing at a box tells what it is. UI thread only.
class DrawingCanvas : public QWidget {
    Q_OBJECT
  public:
    explicit DrawingCanvas(QWidget* parent = nullptr);

    /// Keeps zoom and place, so that another detail of the same model does not jump.
    void show_drawing(DrawingLayout drawing);
    void set_empty_text(const QString& text);
    const QString& empty_text() const { return empty_text_; }
    void set_theme(const Theme& theme);
    void fit();
    /// From now on both are drawn at one scale, in which both fit, and are zoomed and moved
    /// together: what is as large in one as in the other is as large on the screen.
    static void join(DrawingCanvas& one, DrawingCanvas& other);
    const DrawingLayout& drawing() const { return drawing_; }
    double zoom() const { return zoom_; }
    double unit() const;  ///< pixels to one point of the drawing
    /// Where a point of the drawing stands on the canvas.
    QPointF to_screen(DrawPoint point) const;

  signals:
    /// A press on a row of the column; its first layer, 0-based.
    void layer_clicked(int layer);
    /// Up or down among the layers: 1 or -1.
    void stepped(int by);
    void resized();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

  private:
    /// Pixels to one point if the whole drawing is to fit; nothing while there is none to be seen.
    std::optional<double> fitting_unit() const;
    /// The same part and scale for the one that is joined to this.
    void tell_other();
    DrawPoint to_drawing(QPointF pixel) const;
    /// The row of the column under the cursor, or nullptr.
    const DrawBox* layer_at(QPointF pixel) const;
    void zoom_at(QPointF pixel, double factor);

    DrawingLayout drawing_;
    QString empty_text_;
    bool dark_ = false;
    double zoom_ = 1;  ///< 1 = the whole drawing fits
    QPointF pan_;      ///< of the drawing's centre from the canvas' centre, in pixels
    QPointF pressed_, last_;
    bool dragging_ = false;
    QPointer<DrawingCanvas> other_;  ///< joined to this
};

}  // namespace headroom
