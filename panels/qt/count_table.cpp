#include "panels/qt/count_table.h"

#include <QHeaderView>
#include <QTreeWidget>

namespace headroom {

void style_count_table(QTreeWidget& table) {
    table.setRootIsDecorated(false);
    table.setIndentation(10);
    table.setFrameShape(QFrame::NoFrame);
    table.setUniformRowHeights(true);
    table.header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table.header()->setStretchLastSection(false);
}

}  // namespace headroom
