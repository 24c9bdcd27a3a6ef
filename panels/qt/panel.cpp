#include "panels/qt/panel.h"

#include "core/base/error.h"

namespace headroom {

Panel::Panel(QString name, QString title, QString help)
    : name_(std::move(name)), title_(std::move(title)), help_(std::move(help)) {
    setObjectName(name_ + "Page");
    setAccessibleName(title_);
}

FigurePage Panel::picture() const {
    throw UserError("this view has no picture", "choose another view");
}

}  // namespace headroom
