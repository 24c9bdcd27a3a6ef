#include "panels/qt/elided_combo_box.h"

#include <QStyleOptionComboBox>
#include <QStylePainter>

namespace headroom {

QString ElidedComboBox::shown_text() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    constexpr int kPadding = 4;  // of the style, on both sides of icon and text
    int room =
        style()
            ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this)
            .width() -
        kPadding;
    if (!option.currentIcon.isNull()) room -= option.iconSize.width() + kPadding;
    return fontMetrics().elidedText(option.currentText, Qt::ElideMiddle, room);
}

void ElidedComboBox::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    option.currentText = shown_text();
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace headroom
