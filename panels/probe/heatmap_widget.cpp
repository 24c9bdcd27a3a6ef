#include "panels/probe/heatmap_widget.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "panels/figure/heatmap_painter.h"
#include "panels/figure/palette.h"
#include "panels/qt/qt_theme.h"

namespace headroom {
namespace {

QString name_of(const HeatmapAxis& axis, int64_t i) {
    QString number = QString("%1 %2").arg(QString::fromStdString(axis.label)).arg(i);
    if (axis.names.empty()) return number;
    const QString name = QString::fromStdString(axis.name_at(i));
    return axis.texts ? QString("%1 “%2”").arg(number, name)
                      : QString("%1 %2").arg(QString::fromStdString(axis.label), name);
}

}  // namespace

HeatmapWidget::HeatmapWidget(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setMinimumSize(160, 120);
}

void HeatmapWidget::show_figure(const HeatmapFigure& figure, bool dark) {
    figure_ = figure;
    dark_ = dark;
    cell_.reset();
    marks_.clear();
    layout_ = lay_out_heatmaps(figure_, size(), dark_);
    update();
}

QString HeatmapWidget::tip_at(QPointF at) const {
    const auto cell = cell_at(figure_, layout_, at);
    if (!cell) return {};
    const HeatmapPanel& panel = figure_.panels[static_cast<size_t>(cell->panel)];
    QString tip =
        name_of(panel.row_axis, cell->row) + " × " + name_of(panel.column_axis, cell->column);
    for (const HeatmapPanel& each : figure_.panels) {
        if (each.rows != panel.rows || each.columns != panel.columns) continue;
        // Names tell maps apart; the number of a single one is what the colour bar says.
        const bool lone = figure_.panels.size() == 1 && !figure_.value_label.empty();
        tip += QString("\n%1: %2")
                   .arg(QString::fromStdString(lone ? figure_.value_label : each.name),
                        each.is_masked(cell->row, cell->column)
                            ? tr("left out")
                            : QString::number(each.at(cell->row, cell->column), 'g', 6));
    }
    return tip;
}

void HeatmapWidget::point_at(std::optional<HeatmapCell> cell) {
    if (cell == cell_) return;
    cell_ = cell;
    update();
}

void HeatmapWidget::mark(std::vector<HeatmapCell> cells) {
    marks_ = std::move(cells);
    update();
}

QRectF HeatmapWidget::box_of(const HeatmapCell& cell) const {
    const HeatmapPanel& panel = figure_.panels[static_cast<size_t>(cell.panel)];
    const QRectF& map = layout_.maps[static_cast<size_t>(cell.panel)];
    const double width = map.width() / static_cast<double>(panel.columns);
    const double height = map.height() / static_cast<double>(panel.rows);
    return {map.left() + width * static_cast<double>(cell.column),
            map.top() + height * static_cast<double>(cell.row), width, height};
}

void HeatmapWidget::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paint_heatmaps(painter, figure_, layout_, dark_);
    painter.setBrush(Qt::NoBrush);
    if (layout_.maps.size() == figure_.panels.size())
        for (const HeatmapCell& cell : marks_) {
            // Twice, so that it is seen on every colour.
            const QRectF box = box_of(cell).adjusted(1.5, 1.5, -1.5, -1.5);
            painter.setPen(QPen(Qt::black, 2.5));
            painter.drawRect(box);
            painter.setPen(QPen(Qt::white, 1));
            painter.drawRect(box);
        }
    if (!cell_) return;
    const HeatmapPanel& pointed = figure_.panels[static_cast<size_t>(cell_->panel)];
    painter.setPen(QPen(to_qcolor(figure_theme(dark_).ink), 1.5));
    for (size_t i = 0; i < layout_.maps.size(); ++i) {
        const HeatmapPanel& panel = figure_.panels[i];
        if (panel.rows != pointed.rows || panel.columns != pointed.columns) continue;
        painter.drawRect(box_of({static_cast<int>(i), cell_->row, cell_->column}));
    }
}

void HeatmapWidget::mousePressEvent(QMouseEvent* event) {
    const auto cell = cell_at(figure_, layout_, event->position());
    if (event->button() != Qt::LeftButton || !cell) return QWidget::mousePressEvent(event);
    emit clicked(cell->panel, cell->row, cell->column);
}

void HeatmapWidget::resizeEvent(QResizeEvent*) {
    layout_ = lay_out_heatmaps(figure_, size(), dark_);
}

void HeatmapWidget::mouseMoveEvent(QMouseEvent* event) {
    point_at(cell_at(figure_, layout_, event->position()));
    QToolTip::showText(event->globalPosition().toPoint(), tip_at(event->position()), this);
}

void HeatmapWidget::leaveEvent(QEvent*) {
    point_at(std::nullopt);
}

}  // namespace headroom
