#include "app/window/shell/activity_bar.h"

#include <QKeySequence>
#include <QToolButton>
#include <QVBoxLayout>

#include "panels/qt/qt_theme.h"

namespace headroom {

ActivityBar::ActivityBar() {
    setObjectName("activityBar");
    setAttribute(Qt::WA_StyledBackground);
    setFixedWidth(68);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 6, 4, 6);
    column->setSpacing(2);
    column->addStretch(1);
    group_.setExclusive(true);
    connect(&group_, &QButtonGroup::idClicked, this, &ActivityBar::chosen);
}

void ActivityBar::add(const QString& title, const QString& icon, const QKeySequence& keys) {
    auto* button = new QToolButton;
    button->setObjectName("activity:" + icon);
    button->setText(title);
    button->setProperty("icon_name", icon);
    button->setToolTip(QString("%1 (%2)").arg(title, keys.toString(QKeySequence::NativeText)));
    button->setAccessibleName(title);
    button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
    button->setIconSize({22, 22});
    button->setCheckable(true);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setFocusPolicy(Qt::TabFocus);
    const auto index = static_cast<int>(buttons_.size());
    static_cast<QVBoxLayout*>(layout())->insertWidget(index, button);
    group_.addButton(button, index);
    buttons_.push_back(button);
}

void ActivityBar::set_theme(const Theme& theme) {
    for (QToolButton* button : buttons_)
        button->setIcon(themed_icon(button->property("icon_name").toString(), theme));
}

void ActivityBar::set_current(int index) {
    button(index)->setChecked(true);
}

}  // namespace headroom
