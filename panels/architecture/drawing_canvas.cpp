#include "panels/architecture/drawing_canvas.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "panels/architecture/architecture_painter.h"
#include "panels/figure/palette.h"
#include "panels/qt/qt_theme.h"

namespace headroom {
namespace {

constexpr double kBorder = 8;         ///< pixels around a fitted drawing
constexpr double kLargestUnit = 2.4;  ///< a fitted drawing's type is at most twice its size
constexpr double kLeastDrawingZoom = 0.5, kMostDrawingZoom = 24;
constexpr double kWheelStep = 1.18;  ///< as in the wiring canvas

}  // namespace

DrawingCanvas::DrawingCanvas(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(80, 80);
}

void DrawingCanvas::show_drawing(DrawingLayout drawing) {
    const bool was_empty = drawing_.boxes.empty();
    drawing_ = std::move(drawing);
    if (was_empty) fit();
    update();
    tell_other();
}

void DrawingCanvas::set_empty_text(const QString& text) {
    empty_text_ = text;
    update();
}

void DrawingCanvas::set_theme(const Theme& theme) {
    dark_ = theme.dark;
    update();
}

void DrawingCanvas::fit() {
    zoom_ = 1;
    pan_ = {};
    update();
    tell_other();
}

void DrawingCanvas::join(DrawingCanvas& one, DrawingCanvas& other) {
    one.other_ = &other;
    other.other_ = &one;
    one.tell_other();
}

void DrawingCanvas::tell_other() {
    if (!other_) return;
    other_->zoom_ = zoom_;
    other_->pan_ = pan_;
    other_->update();
}

std::optional<double> DrawingCanvas::fitting_unit() const {
    if (drawing_.boxes.empty() || isHidden()) return std::nullopt;
    const double fits = std::min((width() - 2 * kBorder) / drawing_.width,
                                 (height() - 2 * kBorder) / drawing_.height);
    return std::clamp(fits, 0.05, kLargestUnit);
}

double DrawingCanvas::unit() const {
    const double own = fitting_unit().value_or(1);
    const double fits = other_ ? std::min(own, other_->fitting_unit().value_or(own)) : own;
    return fits * zoom_;
}

QPointF DrawingCanvas::to_screen(DrawPoint point) const {
    const QPointF centre(width() / 2.0, height() / 2.0);
    return centre + pan_ +
           QPointF(point.x - drawing_.width / 2, point.y - drawing_.height / 2) * unit();
}

DrawPoint DrawingCanvas::to_drawing(QPointF pixel) const {
    const QPointF centre(width() / 2.0, height() / 2.0);
    const QPointF away = (pixel - centre - pan_) / unit();
    return {away.x() + drawing_.width / 2, away.y() + drawing_.height / 2};
}

void DrawingCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const FigureTheme& theme = figure_theme(dark_);
    painter.fillRect(rect(), to_qcolor(theme.ground));
    if (drawing_.boxes.empty()) {
        painter.setPen(to_qcolor(theme.muted));
        painter.drawText(rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                         empty_text_);
        return;
    }
    painter.translate(to_screen({0, 0}));
    paint_drawing(painter, drawing_, dark_, unit());
}

void DrawingCanvas::zoom_at(QPointF pixel, double factor) {
    const double zoom = std::clamp(zoom_ * factor, kLeastDrawingZoom, kMostDrawingZoom);
    const QPointF cursor = pixel - QPointF(width() / 2.0, height() / 2.0);
    pan_ = cursor + (pan_ - cursor) * (zoom / zoom_);
    zoom_ = zoom;
    update();
    tell_other();
}

void DrawingCanvas::wheelEvent(QWheelEvent* event) {
    zoom_at(event->position(), std::pow(kWheelStep, event->angleDelta().y() / 120.0));
    event->accept();
}

void DrawingCanvas::keyPressEvent(QKeyEvent* event) {
    const QPointF centre(width() / 2.0, height() / 2.0);
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            return zoom_at(centre, kWheelStep);
        case Qt::Key_Minus:
            return zoom_at(centre, 1 / kWheelStep);
        case Qt::Key_0:
            return fit();
        case Qt::Key_Up:
            emit stepped(1);
            return;
        case Qt::Key_Down:
            emit stepped(-1);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void DrawingCanvas::mousePressEvent(QMouseEvent* event) {
    pressed_ = last_ = event->position();
    dragging_ = false;
}

void DrawingCanvas::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & (Qt::LeftButton | Qt::MiddleButton)) {
        if ((event->position() - pressed_).manhattanLength() > 4) dragging_ = true;
        if (dragging_) {
            pan_ += event->position() - last_;
            update();
            tell_other();
        }
        last_ = event->position();
        return;
    }
    setCursor(layer_at(event->position()) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void DrawingCanvas::mouseReleaseEvent(QMouseEvent* event) {
    if (dragging_ || event->button() != Qt::LeftButton) return;
    if (const DrawBox* row = layer_at(event->position())) emit layer_clicked(row->layers.front());
}

void DrawingCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) fit();
}

void DrawingCanvas::resizeEvent(QResizeEvent*) {
    tell_other();
    emit resized();
}

const DrawBox* DrawingCanvas::layer_at(QPointF pixel) const {
    const DrawBox* box = drawing_.box_at(to_drawing(pixel));
    if (box && box->role == BoxRole::kHeads) box = drawing_.find(box->parent);
    return box && box->role == BoxRole::kLayer ? box : nullptr;
}

bool DrawingCanvas::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const DrawBox* box = drawing_.box_at(to_drawing(help->pos()));
    while (box && box->tip.empty() && !box->parent.empty()) box = drawing_.find(box->parent);
    if (box && !box->tip.empty())
        QToolTip::showText(help->globalPos(), QString::fromStdString(box->tip), this);
    else
        QToolTip::hideText();
    return true;
}

}  // namespace headroom
