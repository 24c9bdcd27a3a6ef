#include "panels/figure/figure_chart.h"

#include <QRubberBand>
#include <QToolTip>
#include <cmath>

#include "panels/figure/figure_readout.h"
#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

constexpr int kClickPixels = 4;  // a shorter drag is a click
constexpr int kFlatPixels = 10;  // a box flatter than this zooms along one axis only
constexpr size_t kMostHistory = 100;

}  // namespace

FigureChart::FigureChart(QWidget* parent)
    : QCustomPlot(parent),
      renderer_(std::make_unique<FigureRenderer>(*this)),
      box_(new QRubberBand(QRubberBand::Rectangle, this)) {
    setMouseTracking(true);
    setMinimumSize(220, 160);
    setCursor(Qt::CrossCursor);
}

FigureChart::~FigureChart() = default;

void FigureChart::show_figure(const Figure& figure, bool dark) {
    if (figure.x.column != figure_.x.column) shaded_.reset();
    figure_ = figure;
    dark_ = dark;
    draw_now();
}

void FigureChart::draw_now() {
    FigureLook look;
    look.dark = dark_;
    look.hidden_in_legend = true;
    look.quick = true;
    renderer_->show(figure_, look, size());
    draw_shade();
    replot(rpQueuedReplot);
}

void FigureChart::shade(std::optional<Range> x) {
    shaded_ = x;
    draw_shade();
    replot(rpQueuedReplot);
}

/// Below the lines, from the bottom to the top of the axes.
void FigureChart::draw_shade() {
    if (shade_) removeItem(shade_);
    if (!shaded_) return;
    constexpr double kAlpha = 0.16;
    shade_ = new QCPItemRect(this);
    shade_->setLayer("grid");
    shade_->setPen(Qt::NoPen);
    shade_->setBrush(to_qcolor(with_alpha(figure_theme(dark_).muted, kAlpha)));
    for (QCPItemPosition* corner : {shade_->topLeft, shade_->bottomRight})
        corner->setTypeY(QCPItemPosition::ptAxisRectRatio);
    shade_->topLeft->setCoords(shaded_->lower, 0);
    shade_->bottomRight->setCoords(shaded_->upper, 1);
}

Figure FigureChart::figure() const {
    Figure result = figure_;
    result.x.range = frame().x;
    result.y.range = frame().y;
    return result;
}

Frame FigureChart::frame() const {
    return {{xAxis->range().lower, xAxis->range().upper},
            {yAxis->range().lower, yAxis->range().upper},
            figure_.x.scale,
            figure_.y.scale};
}

Point FigureChart::place_at(const QPointF& position) const {
    const QRect area = axisRect()->rect();
    return {(position.x() - area.left()) / std::max(1, area.width()),
            (area.bottom() - position.y()) / std::max(1, area.height())};
}

bool FigureChart::is_inside(const QPointF& position) const {
    return axisRect()->rect().contains(position.toPoint());
}

QString FigureChart::legend_id_at(const QPointF& position) const {
    return QString::fromStdString(renderer_->legend().id_at(position));
}

void FigureChart::remember(const Frame& frame) {
    past_.push_back(frame);
    if (past_.size() > kMostHistory) past_.erase(past_.begin());
    future_.clear();
    emit stepped();
}

void FigureChart::go_to(const Frame& target, bool is_step) {
    const Frame before = frame();
    if (target.x == before.x && target.y == before.y) return;
    if (is_step) remember(before);
    figure_.x.range = target.x;
    figure_.y.range = target.y;
    xAxis->setRange(target.x.lower, target.x.upper);
    yAxis->setRange(target.y.lower, target.y.upper);
    replot(rpQueuedReplot);
    emit zoomed_to(target.x, target.y);
}

void FigureChart::look_at(Range x, Range y) {
    Frame target = frame();
    target.x = x;
    target.y = y;
    go_to(target, true);
}

void FigureChart::undo_zoom() {
    if (past_.empty()) return;
    future_.push_back(frame());
    const Frame target = past_.back();
    past_.pop_back();
    go_to(target, false);
}

void FigureChart::redo_zoom() {
    if (future_.empty()) return;
    past_.push_back(frame());
    const Frame target = future_.back();
    future_.pop_back();
    go_to(target, false);
}

void FigureChart::clear_history() {
    past_.clear();
    future_.clear();
}

void FigureChart::mousePressEvent(QMouseEvent* event) {
    drag_start_ = event->pos();
    drag_frame_ = frame();
    const bool pan = event->button() == Qt::MiddleButton ||
                     (event->button() == Qt::LeftButton && event->modifiers() & Qt::ShiftModifier);
    if (!is_inside(event->position())) return;
    if (pan) {
        drag_ = Drag::kPan;
        setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton && event->modifiers() & Qt::ControlModifier &&
               legend_id_at(event->position()).isEmpty()) {
        drag_ = Drag::kStretch;
    } else if (event->button() == Qt::LeftButton && legend_id_at(event->position()).isEmpty()) {
        drag_ = Drag::kBox;
    }
}

void FigureChart::mouseMoveEvent(QMouseEvent* event) {
    if (drag_ == Drag::kPan) return pan_to(event->pos());
    if (drag_ == Drag::kBox || drag_ == Drag::kStretch) draw_box(event->pos());
    const bool on_legend = !legend_id_at(event->position()).isEmpty();
    setCursor(on_legend ? Qt::PointingHandCursor : Qt::CrossCursor);
    if (!is_inside(event->position()) || on_legend) return emit left();
    const Point at = place_at(event->position());
    if (reads_out_ && drag_ == Drag::kNone) show_readout(at, event->globalPosition().toPoint());
    emit hovered(value_at(frame().x, figure_.x.scale, at.x),
                 value_at(frame().y, figure_.y.scale, at.y), event->pos());
}

void FigureChart::show_readout(const Point& at, const QPoint& position) {
    const QRect area = axisRect()->rect();
    QString text;
    for (const std::string& line : figure_readout(figure(), at, area.width(), area.height()))
        text += (text.isEmpty() ? "" : "\n") + QString::fromStdString(line);
    // Escaped, lest a name look like mark-up.
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(
            position,
            "<p style='white-space:pre'>" + text.toHtmlEscaped().replace('\n', "<br>") + "</p>",
            this);
}

void FigureChart::draw_box(const QPoint& position) {
    const QRect area = axisRect()->rect();
    QRect box = QRect(drag_start_, position).normalized();
    if (box.height() < kFlatPixels || drag_ == Drag::kStretch)
        box = QRect(box.left(), area.top(), box.width(), area.height());
    if (box.width() < kFlatPixels && drag_ == Drag::kBox)
        box = QRect(area.left(), box.top(), area.width(), box.height());
    box_->setGeometry(box & area);
    box_->setVisible((position - drag_start_).manhattanLength() > kClickPixels);
}

Range FigureChart::stretch_to(const QPoint& position) const {
    const auto value = [this](const QPoint& at) {
        return value_at(frame().x, figure_.x.scale, std::clamp(place_at(at).x, 0.0, 1.0));
    };
    const double from = value(drag_start_), to = value(position);
    return {std::min(from, to), std::max(from, to)};
}

void FigureChart::pan_to(const QPoint& position) {
    const Point from = place_at(drag_start_), to = place_at(position);
    const Frame before = drag_frame_;
    go_to(panned(before, to.x - from.x, to.y - from.y), false);
}

void FigureChart::zoom_into_box(const QPoint& position) {
    Point corner = place_at(drag_start_), opposite = place_at(position);
    if (std::abs(position.y() - drag_start_.y()) < kFlatPixels) corner.y = 0, opposite.y = 1;
    if (std::abs(position.x() - drag_start_.x()) < kFlatPixels) corner.x = 0, opposite.x = 1;
    for (Point* point : {&corner, &opposite}) {
        point->x = std::clamp(point->x, 0.0, 1.0);
        point->y = std::clamp(point->y, 0.0, 1.0);
    }
    go_to(boxed(frame(), corner, opposite), true);
}

void FigureChart::mouseReleaseEvent(QMouseEvent* event) {
    const Drag ended = std::exchange(drag_, Drag::kNone);
    box_->hide();
    setCursor(Qt::CrossCursor);
    const bool moved = (event->pos() - drag_start_).manhattanLength() > kClickPixels;
    if (ended == Drag::kPan && moved) return remember(drag_frame_);
    if (ended == Drag::kStretch && moved) return emit stretch_chosen(stretch_to(event->pos()));
    if (ended == Drag::kBox && moved) return zoom_into_box(event->pos());
    const QString id = legend_id_at(event->position());
    if (!moved && !id.isEmpty()) emit legend_clicked(id, event->button(), event->modifiers());
}

void FigureChart::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !legend_id_at(event->position()).isEmpty()) return;
    remember(frame());
    emit fit_asked();
}

void FigureChart::wheelEvent(QWheelEvent* event) {
    const double steps = event->angleDelta().y() / 120.0;
    if (steps == 0) return;
    const double factor = std::pow(0.85, steps);
    const QPointF at = event->position();
    const QRect area = axisRect()->rect();
    const bool below = at.y() > area.bottom(), beside = at.x() < area.left();
    Point place = place_at(at);
    place.x = std::clamp(place.x, 0.0, 1.0);
    place.y = std::clamp(place.y, 0.0, 1.0);
    go_to(zoomed(frame(), place, beside ? 1 : factor, below ? 1 : factor), true);
    event->accept();
}

void FigureChart::leaveEvent(QEvent* event) {
    emit left();
    QCustomPlot::leaveEvent(event);
}

void FigureChart::resizeEvent(QResizeEvent* event) {
    QCustomPlot::resizeEvent(event);
    draw_now();
}

}  // namespace headroom
