#include "app/window/shell/page_area.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "panels/qt/panel.h"
#include "panels/qt/qt_theme.h"

namespace headroom {

PageArea::PageArea(Chooser chooser) : header_(new QWidget), body_(new QStackedWidget) {
    header_->setObjectName("pageHeader");
    header_->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(header_);
    row->setContentsMargins(4, 0, 6, 1);  // its lower edge is a line
    row->setSpacing(2);
    if (chooser == Chooser::kTabs) {
        tabs_ = new QTabBar;
        tabs_->setObjectName("pageTabs");
        tabs_->setExpanding(false);
        tabs_->setUsesScrollButtons(true);
        row->addWidget(tabs_, 1);
        connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
            if (!filling_ && index >= 0) emit chosen(choices_[static_cast<size_t>(index)]->name);
        });
    } else {
        list_ = new QComboBox;
        list_->setObjectName("pageList");
        list_->setAccessibleName(tr("Page beside the first"));
        row->addWidget(list_);
        row->addStretch(1);
        connect(list_, &QComboBox::activated, this,
                [this](int index) { emit chosen(choices_[static_cast<size_t>(index)]->name); });
    }
    add_button("pageHelp", "?", tr("What this shows"), &PageArea::help_asked);
    add_button("pageFigure", tr("+ Figure"), tr("Add it to the study's figures, as a recipe"),
               &PageArea::figure_asked);
    add_button("pageCopy", tr("Copy"), tr("Copy the picture to the clipboard"),
               &PageArea::copy_asked);
    add_button("pageExport", tr("Export…"), tr("Write the picture to PDF, SVG, PNG or CSV"),
               &PageArea::export_asked);
    if (list_)
        add_button("pageClose", "×", tr("Close this half (Ctrl+\\)"), &PageArea::close_asked);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(header_);
    column->addWidget(body_, 1);
}

QToolButton* PageArea::add_button(const QString& name, const QString& text, const QString& help,
                                  void (PageArea::*asked)()) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setText(text);
    button->setToolTip(help);
    button->setAccessibleName(help);
    button->setFocusPolicy(Qt::TabFocus);
    header_->layout()->addWidget(button);
    connect(button, &QToolButton::clicked, this, asked);
    buttons_.push_back(button);
    return button;
}

void PageArea::adopt(Panel* page) {
    page->setParent(body_);
    page->hide();
}

void PageArea::show_page(const std::vector<const PageInfo*>& choices, Panel* page) {
    filling_ = true;
    if (choices != choices_) {
        choices_ = choices;
        while (tabs_ && tabs_->count() > 0) tabs_->removeTab(0);
        if (list_) list_->clear();
        for (const PageInfo* each : choices_) {
            if (tabs_) tabs_->addTab(each->title);
            if (list_) list_->addItem(each->title);
        }
    }
    const auto chosen = std::find_if(choices_.begin(), choices_.end(), [&](const PageInfo* each) {
        return each->name == page->name();
    });
    const auto index = static_cast<int>(chosen - choices_.begin());
    if (tabs_) tabs_->setCurrentIndex(index);
    if (list_) list_->setCurrentIndex(index);
    filling_ = false;
    page_ = page;
    if (body_->indexOf(page) < 0) body_->addWidget(page);
    body_->setCurrentWidget(page);
    page->show();
    update_buttons();
}

void PageArea::release() {
    if (page_) body_->removeWidget(page_);
    page_ = nullptr;
}

void PageArea::update_buttons() {
    const bool picture = page_ && page_->has_picture();
    for (QToolButton* button : buttons_) {
        if (button->objectName() == "pageFigure")
            button->setVisible(page_ && page_->recipe().has_value());
        if (button->objectName() == "pageCopy" || button->objectName() == "pageExport")
            button->setEnabled(picture);
    }
}

}  // namespace headroom
