#include "app/window/shell/activity_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QToolButton>
#include <QVBoxLayout>

#include "panels/qt/qt_theme.h"

namespace headroom {

ActivityBar::ActivityBar() : row_(new QHBoxLayout), theme_(light_theme()) {
    setObjectName("activityBar");
    setAttribute(Qt::WA_StyledBackground);
    setMinimumWidth(68);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);  // wider where a word asks for it
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(2, 6, 2, 6);
    column->setSpacing(2);
    column->addStretch(1);
    row_->setSpacing(0);
    column->addLayout(row_);
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

QToolButton* ActivityBar::add_small(const QString& title, const QString& icon) {
    auto* button = new QToolButton;
    button->setObjectName("small:" + icon);
    button->setProperty("icon_name", icon);
    button->setToolTip(title);
    button->setAccessibleName(title);
    button->setIconSize({18, 18});
    button->setFocusPolicy(Qt::TabFocus);
    button->setIcon(themed_icon(icon, theme_));
    row_->addWidget(button);
    small_.push_back(button);
    return button;
}

void ActivityBar::set_theme(const Theme& theme) {
    theme_ = theme;
    for (const auto* buttons : {&buttons_, &small_})
        for (QToolButton* button : *buttons)
            button->setIcon(themed_icon(button->property("icon_name").toString(), theme));
}

void ActivityBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    show_names_where_they_fit();
}

void ActivityBar::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    const bool other_text =
        event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange;
    if (!other_text) return;
    show_names(true);
    show_names_where_they_fit();
}

void ActivityBar::show_names(bool shown) {
    for (QToolButton* button : buttons_)
        button->setToolButtonStyle(shown ? Qt::ToolButtonTextUnderIcon : Qt::ToolButtonIconOnly);
}

void ActivityBar::show_names_where_they_fit() {
    if (buttons_.empty()) return;
    if (buttons_.front()->toolButtonStyle() == Qt::ToolButtonTextUnderIcon) {
        const QMargins margins = layout()->contentsMargins();
        named_height_ = margins.top() + margins.bottom() + row_->sizeHint().height();
        for (const QToolButton* button : buttons_)
            named_height_ += button->sizeHint().height() + layout()->spacing();
    }
    show_names(named_height_ <= height());
}

void ActivityBar::set_current(int index) {
    button(index)->setChecked(true);
}

}  // namespace headroom
