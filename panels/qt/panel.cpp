#include "panels/qt/panel.h"

#include "core/base/error.h"

namespace headroom {

Panel::Panel(PageInfo info) : info_(std::move(info)) {
    setObjectName(info_.name + "Page");
    setAccessibleName(info_.title);
}

FigurePage Panel::picture() const {
    throw UserError("this view has no picture", "choose another view");
}

}  // namespace headroom
