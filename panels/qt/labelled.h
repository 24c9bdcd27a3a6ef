#pragma once

#include <QString>
#include <string>

class QLabel;
class QWidget;

namespace headroom {

/// A label and its control in a widget of their own, so that they stay together when a strip of
/// controls breaks into lines. `control` becomes its child.
QWidget* with_label(const QString& text, QWidget* control, QWidget* parent);

/// The label says this, or is not there if there is nothing to say.
void show_text(QLabel* label, const std::string& text);

}  // namespace headroom
