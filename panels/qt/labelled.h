#pragma once

#include <QString>
#include <string>

class QLabel;
class QWidget;

namespace headroom {

class ElidedLabel;

/// A label and its control in a widget of their own, so that they stay together when a strip of
/// controls breaks into lines. `control` becomes its child.
QWidget* with_label(const QString& text, QWidget* control, QWidget* parent);

/// The heading of a part of a form or page.
QLabel* make_heading(const QString& text);

/// A line of a form that has its room while it says nothing: what stands below does not move when
/// it begins to speak, nor the form widen.
ElidedLabel* make_hint(const char* role);
/// The hint says this, or is blank if there is nothing to say.
void show_hint(ElidedLabel* hint, const std::string& text);

/// The text with places to break its long words at, such as a number of forty digits. Not for text
/// that may be copied: the places are characters.
QString breakable(const QString& text);

/// The label says this, or is not there if there is nothing to say.
void show_text(QLabel* label, const std::string& text);

}  // namespace headroom
