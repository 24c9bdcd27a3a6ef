#include "panels/qt/style_property.h"

#include <QStyle>
#include <QVariant>
#include <QWidget>

namespace headroom {

void set_style_property(QWidget& widget, const char* name, const QVariant& value) {
    if (widget.property(name) == value) return;
    widget.setProperty(name, value);
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
}

void mark_wrong(QWidget& input, const QString& problem, const QString& help) {
    set_style_property(input, "wrong", !problem.isEmpty());
    input.setToolTip(problem.isEmpty() ? help : problem);
}

}  // namespace headroom
