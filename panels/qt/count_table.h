#pragma once

class QTreeWidget;

namespace headroom {

/// How a table of headings and counts looks: no frame, narrow indents, columns as wide as their
/// texts.
void style_count_table(QTreeWidget& table);

}  // namespace headroom
