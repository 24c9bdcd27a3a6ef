#include "panels/memory/treemap_canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "panels/figure/palette.h"
#include "panels/memory/treemap_painter.h"
#include "panels/qt/qt_theme.h"

namespace headroom {

TreemapCanvas::TreemapCanvas(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(120, 100);
    setObjectName("memoryTreemap");
}

void TreemapCanvas::show_view(TreemapView view) {
    view_ = std::move(view);
    choose(std::nullopt);
    update();
}

void TreemapCanvas::set_theme(const Theme& theme) {
    dark_ = theme.dark;
    update();
}

QRectF TreemapCanvas::place() const {
    return QRectF(rect()).adjusted(8, 2, -8, -4);
}

QPointF TreemapCanvas::middle_of(size_t cell) const {
    const TreemapRect& rect = layout_.cells[cell].rect;
    return place().topLeft() + QPointF(rect.x + rect.width / 2, rect.y + rect.height / 2);
}

void TreemapCanvas::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), to_qcolor(figure_theme(dark_).ground));
    if (view_.empty()) {
        layout_ = {};
        painter.setPen(to_qcolor(figure_theme(dark_).muted));
        painter.drawText(rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                         QString::fromStdString(view_.empty_text));
        return;
    }
    layout_ = paint_treemap(painter, view_, place(), dark_);
    if (chosen_ && *chosen_ < layout_.cells.size())
        paint_chosen_cell(painter, layout_, place(), *chosen_, dark_);
}

void TreemapCanvas::choose(std::optional<size_t> cell) {
    if (cell == chosen_) return;
    chosen_ = cell;
    QStringList lines;
    if (cell && *cell < layout_.cells.size())
        for (const std::string& line : layout_.cells[*cell].lines)
            lines << QString::fromStdString(line);
    emit pointed(lines.join(" · "));
    update();
}

void TreemapCanvas::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position() - place().topLeft();
    choose(layout_.cell_at(at.x(), at.y()));
}

void TreemapCanvas::leaveEvent(QEvent*) {
    choose(std::nullopt);
}

void TreemapCanvas::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    const int dx = (key == Qt::Key_Right) - (key == Qt::Key_Left);
    const int dy = (key == Qt::Key_Down) - (key == Qt::Key_Up);
    if (layout_.cells.empty() || (dx == 0 && dy == 0)) return QWidget::keyPressEvent(event);
    choose(chosen_ ? layout_.neighbour(*chosen_, dx, dy) : 0);
}

void TreemapCanvas::resizeEvent(QResizeEvent*) {
    choose(std::nullopt);
}

}  // namespace headroom
