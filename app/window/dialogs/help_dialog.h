#pragma once

class QWidget;

namespace headroom {

class Panel;

/// What a page shows and what its numbers mean, in a dialog over `parent`.
void show_help(const Panel& page, QWidget* parent);
void show_about(QWidget* parent);

}  // namespace headroom
