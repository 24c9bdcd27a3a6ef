#include "app/window/shell/options_pane.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "panels/qt/panel.h"

namespace headroom {

constexpr int kLeastWidth = 210, kMostWidth = 340;

OptionsPane::OptionsPane() : title_(new QLabel), stack_(new QStackedWidget) {
    setObjectName("optionsPane");
    setAttribute(Qt::WA_StyledBackground);
    setMinimumWidth(kLeastWidth);
    auto* close = new QToolButton;
    close->setText("×");
    close->setToolTip(tr("Close (F9)"));
    close->setAccessibleName(tr("Close the options"));
    title_->setProperty("role", "muted");
    auto* header = new QHBoxLayout;
    header->setContentsMargins(12, 2, 4, 2);
    header->addWidget(title_, 1);
    header->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(header);
    column->addWidget(stack_, 1);
    connect(close, &QToolButton::clicked, this, &OptionsPane::close_asked);
    // Whatever is shown in the end: hiding what has the keys may show another page's at once.
    connect(stack_, &QStackedWidget::currentChanged, this, [this] {
        const QWidget* shown = stack_->currentWidget();
        title_->setText(shown ? shown->accessibleName() : QString());
    });
}

bool OptionsPane::show_options_of(Panel* page) {
    if (!places_.contains(page)) {
        QWidget* options = page->options();
        if (!options) return false;
        auto* scroll = new QScrollArea(stack_);  // before it holds what would be dressed anew
        scroll->setWidgetResizable(true);
        scroll->setFocusPolicy(Qt::NoFocus);  // what stands in it scrolls when it gets the keys
        scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        scroll->setAccessibleName(tr("%1: options").arg(page->title()));
        scroll->setWidget(options);
        options->show();
        options->installEventFilter(this);
        stack_->addWidget(scroll);
        places_[page] = scroll;
    }
    stack_->setCurrentWidget(places_[page]);
    fit_width();
    return true;
}

/// As wide as what stands in it asks for, within reason: controls are never cut.
void OptionsPane::fit_width() {
    const auto* shown = qobject_cast<QScrollArea*>(stack_->currentWidget());
    if (!shown) return;
    constexpr int kScrollBar = 16;
    const int wished = shown->widget()->minimumSizeHint().width() + kScrollBar;
    setMinimumWidth(std::clamp(wished, kLeastWidth, kMostWidth));
}

bool OptionsPane::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) fit_width();
    return QWidget::eventFilter(watched, event);
}

}  // namespace headroom
