#include "panels/qt/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace headroom {

FlowLayout::FlowLayout(QWidget* parent, int gap) : QLayout(parent), gap_(gap) {}

FlowLayout::~FlowLayout() {
    for (QLayoutItem* item : items_) delete item;
}

void FlowLayout::addItem(QLayoutItem* item) {
    items_.push_back(item);
}

QLayoutItem* FlowLayout::itemAt(int index) const {
    return index >= 0 && index < count() ? items_[static_cast<size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
    QLayoutItem* item = itemAt(index);
    if (item) items_.erase(items_.begin() + index);
    return item;
}

int FlowLayout::heightForWidth(int width) const {
    return arrange(QRect(0, 0, width, 0), false);
}

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (const QLayoutItem* item : items_)
        if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool move) const {
    const QRect room = rect.marginsRemoved(contentsMargins());
    int x = room.x(), y = room.y(), line_height = 0;
    size_t line_start = 0;
    const auto end_line = [&](size_t end) {
        for (size_t i = line_start; move && i < end; ++i) {
            if (items_[i]->isEmpty()) continue;
            QRect place = items_[i]->geometry();
            place.moveTop(y + (line_height - place.height()) / 2);
            items_[i]->setGeometry(place);
        }
        line_start = end;
    };
    for (size_t i = 0; i < items_.size(); ++i) {
        if (items_[i]->isEmpty()) continue;
        const QSize size = items_[i]->sizeHint().boundedTo({room.width(), QWIDGETSIZE_MAX});
        if (x > room.x() && x + size.width() > room.x() + room.width()) {
            end_line(i);
            x = room.x();
            y += line_height + gap_;
            line_height = 0;
        }
        line_height = std::max(line_height, size.height());
        if (move) items_[i]->setGeometry(QRect(QPoint(x, y), size));
        x += size.width() + gap_;
    }
    end_line(items_.size());
    return y + line_height - rect.y() + contentsMargins().bottom();
}

}  // namespace headroom
