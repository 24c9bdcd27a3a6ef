#include "app/window/shell/tour.h"

#include <QAccessible>
#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "app/window/shell/activity_bar.h"
#include "app/window/shell/workspace.h"
#include "panels/qt/panel.h"
#include "panels/run_list/run_list.h"

namespace headroom {
namespace {

struct Hint {
    const char* page;  ///< that is looked at meanwhile; "" = the list of runs beside any
    const char* title;
    const char* text;
};

const Hint kHints[] = {
    {"", QT_TRANSLATE_NOOP("headroom::Tour", "The list of runs"),
     QT_TRANSLATE_NOOP("headroom::Tour",
                       "It decides in all views what is looked at. The eye (E) shows or hides a "
                       "run, the star (R) makes it the reference of every difference, the dot (C) "
                       "is its colour everywhere; the selected row is what views of one run "
                       "show.")},
    {"losses", QT_TRANSLATE_NOOP("headroom::Tour", "Curves"),
     QT_TRANSLATE_NOOP("headroom::Tour",
                       "All runs live, train and validation. The wheel zooms, dragging zooms into "
                       "a box, a double click fits. “Compare with” a run shows the differences "
                       "alone.")},
    {"inspector", QT_TRANSLATE_NOOP("headroom::Tour", "Attention maps"),
     QT_TRANSLATE_NOOP("headroom::Tour",
                       "What every head attends to, two runs side by side: click a head to see it "
                       "large, type a text of your own above. They are there as soon as a run was "
                       "probed, which Ctrl+Return does.")},
    {"figures", QT_TRANSLATE_NOOP("headroom::Tour", "Figures"),
     QT_TRANSLATE_NOOP("headroom::Tour",
                       "The figures of this study at the size that they have on paper. “+ Figure” "
                       "in any view adds what it shows; each draws itself anew when its runs move "
                       "on.")},
    {"newRuns", QT_TRANSLATE_NOOP("headroom::Tour", "New runs"),
     QT_TRANSLATE_NOOP("headroom::Tour",
                       "Variants × seeds × values of any key, beginning with what this study does. "
                       "Nothing starts before Ctrl+Return. Ctrl+K finds any command, F1 explains "
                       "the page, and this tour is in the Help menu.")},
};

}  // namespace

Tour::Tour(Workspace& workspace)
    : QObject(&workspace),
      workspace_(workspace),
      ring_(new QFrame(&workspace)),
      card_(new QFrame(&workspace)),
      title_(new QLabel),
      text_(new QLabel),
      where_(new QLabel),
      back_(new QToolButton),
      close_(new QToolButton),
      next_(new QPushButton) {
    ring_->setObjectName("tourRing");
    ring_->setAttribute(Qt::WA_TransparentForMouseEvents);
    ring_->hide();
    lay_out_card();
    workspace.installEventFilter(this);
    for (QWidget* button : std::initializer_list<QWidget*>{back_, next_, close_})
        button->installEventFilter(this);
    connect(next_, &QPushButton::clicked, this, [this] { go(at_ + 1); });
    connect(back_, &QToolButton::clicked, this, [this] { go(at_ - 1); });
    connect(close_, &QToolButton::clicked, this, &Tour::end);
}

Tour::~Tour() = default;

int Tour::count() {
    return static_cast<int>(std::size(kHints));
}

QString Tour::text() const {
    return is_running() ? text_->text() : QString();
}

void Tour::lay_out_card() {
    constexpr int kWide = 330;
    card_->setObjectName("tourCard");
    card_->setFixedWidth(kWide);
    card_->hide();
    title_->setProperty("role", "heading");
    text_->setWordWrap(true);
    where_->setProperty("role", "muted");
    next_->setObjectName("tourNext");
    back_->setObjectName("tourBack");
    back_->setText(tr("Back"));
    close_->setObjectName("tourEnd");
    close_->setText("×");
    close_->setToolTip(tr("End the tour (Esc)"));
    close_->setAccessibleName(tr("End the tour"));
    auto* top = new QHBoxLayout;
    top->addWidget(title_, 1);
    top->addWidget(close_);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(where_, 1);
    bottom->addWidget(back_);
    bottom->addWidget(next_);
    auto* column = new QVBoxLayout(card_);
    column->setContentsMargins(14, 10, 10, 10);
    column->setSpacing(8);
    column->addLayout(top);
    column->addWidget(text_);
    column->addLayout(bottom);
    QWidget::setTabOrder(back_, next_);
    QWidget::setTabOrder(next_, close_);
}

void Tour::start() {
    if (!is_running()) began_at_ = workspace_.active();
    go(0);
}

void Tour::end() {
    if (!is_running()) return;
    at_ = -1;
    ring_->hide();
    card_->hide();
    if (began_at_) workspace_.go_to(began_at_);
}

void Tour::go(int hint) {
    if (hint >= count()) return end();
    at_ = std::max(hint, 0);
    const Hint& shown = kHints[at_];
    if (*shown.page) workspace_.go_to(workspace_.find(shown.page));
    title_->setText(tr(shown.title));
    text_->setText(tr(shown.text));
    where_->setText(tr("%1 of %2 · Esc ends").arg(at_ + 1).arg(count()));
    back_->setEnabled(at_ > 0);
    next_->setText(at_ + 1 == count() ? tr("Done") : tr("Next"));
    card_->setAccessibleName(tr("Tour: %1").arg(title_->text()));
    card_->setAccessibleDescription(text_->text());
    place();
    for (QFrame* frame : {ring_, card_}) {
        frame->show();
        frame->raise();
    }
    next_->setFocus(Qt::TabFocusReason);
    QAccessibleEvent event(card_, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

QRect Tour::target() const {
    const QWidget* about = *kHints[at_].page ? static_cast<QWidget*>(workspace_.active())
                                             : static_cast<QWidget*>(workspace_.run_list());
    return {about->mapTo(&workspace_, QPoint()), about->size()};
}

/// Beside what the card is about, where there is room, or else in its lower right corner.
void Tour::place() {
    constexpr int kAway = 12;
    const QRect about = target();
    ring_->setGeometry(about);
    card_->ensurePolished();
    const int wide = card_->width();
    const int text = card_->layout()->heightForWidth(wide) + 2 * card_->frameWidth();
    const int high = std::max(text, card_->sizeHint().height());
    card_->resize(wide, high);
    const bool beside = about.right() + kAway + wide < workspace_.width();
    const int x = beside ? about.right() + kAway : about.right() - kAway - wide;
    const int y = beside ? about.top() + 4 * kAway : about.bottom() - kAway - high;
    card_->move(std::clamp(x, 0, std::max(0, workspace_.width() - wide)),
                std::clamp(y, 0, std::max(0, workspace_.height() - high)));
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
    if (!is_running()) return false;
    if (watched == &workspace_) {
        // Once those inside have their new places.
        if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)
            QMetaObject::invokeMethod(
                this,
                [this] {
                    if (is_running()) place();
                },
                Qt::QueuedConnection);
        return false;
    }
    if (event->type() != QEvent::KeyPress) return false;
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool presses = key == Qt::Key_Return || key == Qt::Key_Enter;
    if (key == Qt::Key_Left) {
        if (at_ > 0) go(at_ - 1);
    } else if (key == Qt::Key_Right) {
        go(at_ + 1);
    } else if (presses) {
        static_cast<QAbstractButton*>(watched)->click();
    } else {
        return false;
    }
    return true;
}

}  // namespace headroom
