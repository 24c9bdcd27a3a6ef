#include "panels/qt/rest_line.h"

namespace headroom {

RestLine::RestLine(QWidget* parent) : QLabel(parent) {
    setObjectName("restLine");
    setProperty("role", "muted");
    setWordWrap(true);
    setMargin(4);
    hide();
}

void RestLine::set_shown(size_t shown, size_t all) {
    setText(tr("%1 of %2 runs are shown: there is room for no more. Select those to be shown.")
                .arg(shown)
                .arg(all));
    setVisible(shown < all);
}

}  // namespace headroom
