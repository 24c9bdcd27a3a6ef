#pragma once

#include <QString>

class QVariant;
class QWidget;

namespace headroom {

/// Sets a property that the style sheet reads, such as "role" or "tone", and has it read anew.
void set_style_property(QWidget& widget, const char* name, const QVariant& value);

/// The theme's red for an input, and why; or where nothing is wrong, what it is for.
void mark_wrong(QWidget& input, const QString& problem, const QString& help);

}  // namespace headroom
