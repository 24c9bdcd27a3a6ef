#pragma once

#include <QString>

class QWidget;

namespace headroom {

/// A label and its control in a widget of their own, so that they stay together when a strip of
/// controls breaks into lines. `control` becomes its child.
QWidget* with_label(const QString& text, QWidget* control, QWidget* parent);

}  // namespace headroom
