#pragma once

#include <QVBoxLayout>

namespace headroom {

/// Fills `page` with `content` alone.
inline void fill_page(QWidget* page, QWidget* content) {
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(content);
}

}  // namespace headroom
