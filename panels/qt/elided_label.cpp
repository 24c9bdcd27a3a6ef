#include "panels/qt/elided_label.h"

#include <QEvent>

namespace headroom {

ElidedLabel::ElidedLabel() {
    setTextFormat(Qt::PlainText);
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::set_line(const QString& line, const QString& aside) {
    line_ = line;
    setToolTip(aside.isEmpty() ? line : line + "\n" + aside);
    setAccessibleName(line);
    elide();
}

QSize ElidedLabel::sizeHint() const {
    const QMargins margins = contentsMargins();
    const int line = fontMetrics().height() + margins.top() + margins.bottom();
    return QLabel::sizeHint().expandedTo({0, line});
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange) elide();
}

void ElidedLabel::elide() {
    setText(fontMetrics().elidedText(line_, Qt::ElideRight, width()));
}

}  // namespace headroom
