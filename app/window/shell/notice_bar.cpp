#include "app/window/shell/notice_bar.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "panels/qt/elided_label.h"
#include "panels/qt/style_property.h"

namespace headroom {

NoticeBar::NoticeBar() : text_(new ElidedLabel), action_(new QToolButton), close_(new QToolButton) {
    setObjectName("noticeBar");
    text_->setObjectName("noticeText");
    action_->setObjectName("noticeAction");
    action_->setFocusPolicy(Qt::TabFocus);
    close_->setObjectName("noticeClose");
    close_->setText("×");
    close_->setToolTip(tr("Close this notice"));
    close_->setAccessibleName(tr("Close this notice"));
    close_->setFocusPolicy(Qt::TabFocus);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 0, 6, 0);
    row->addWidget(text_, 1);
    row->addWidget(action_);
    row->addWidget(close_);
    connect(close_, &QToolButton::clicked, this, [this] {
        if (!posted_.empty()) withdraw(posted_.back().number);
    });
    connect(action_, &QToolButton::clicked, this, [this] {
        if (posted_.empty()) return;
        const Posted newest = posted_.back();
        withdraw(newest.number);
        if (newest.notice.work) newest.notice.work();
    });
    hide();
}

int NoticeBar::post(Notice notice) {
    const int number = ++last_number_;
    if (notice.seconds > 0)
        QTimer::singleShot(notice.seconds * 1000, this, [=, this] { withdraw(number); });
    posted_.push_back({number, std::move(notice)});
    show_newest();
    QAccessibleEvent event(text_, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
    return number;
}

void NoticeBar::clear() {
    posted_.clear();
    show_newest();
}

QString NoticeBar::text() const {
    return posted_.empty() ? QString() : posted_.back().notice.text;
}

void NoticeBar::withdraw(int number) {
    std::erase_if(posted_, [&](const Posted& each) { return each.number == number; });
    show_newest();
}

void NoticeBar::show_newest() {
    setVisible(!posted_.empty());
    if (posted_.empty()) return;
    const Notice& notice = posted_.back().notice;
    text_->set_line(notice.text);
    action_->setText(notice.action);
    action_->setVisible(!notice.action.isEmpty());
    set_style_property(*this, "tone", notice.warning ? "warning" : "plain");
}

}  // namespace headroom
