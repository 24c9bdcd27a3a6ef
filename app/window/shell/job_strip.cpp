#include "app/window/shell/job_strip.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>
#include <cmath>

#include "app/window/shell/notice_bar.h"
#include "panels/qt/elided_label.h"
#include "panels/qt/qt_theme.h"

namespace headroom {
namespace {

constexpr int kSayMs = 6000;

/// "skipv1 seed 2 · 610 / 1,000 · loss 2.31 · 41 k · 28 s left"
QString line_of(const JobRow& row) {
    QStringList parts{QString::fromStdString(row.name), QString::fromStdString(row.steps)};
    if (row.loss != "–") parts << JobStrip::tr("loss %1").arg(QString::fromStdString(row.loss));
    if (row.tokens_per_second != "–")
        parts << JobStrip::tr("%1 tokens/s").arg(QString::fromStdString(row.tokens_per_second));
    if (row.remaining != "–")
        parts << JobStrip::tr("%1 left").arg(QString::fromStdString(row.remaining));
    return parts.join(" · ");
}

}  // namespace

JobStrip::JobStrip()
    : text_(new ElidedLabel),
      notices_(new NoticeBar),
      progress_(new QProgressBar),
      start_(new QToolButton),
      open_(new QToolButton) {
    setObjectName("jobStrip");
    setAttribute(Qt::WA_StyledBackground);
    setFixedHeight(30);
    text_->setObjectName("jobStripText");
    progress_->setFixedWidth(120);
    progress_->setFixedHeight(8);
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Progress of the running job"));
    start_->setObjectName("stripStart");
    start_->setText(tr("Start queue"));
    open_->setObjectName("stripOpen");
    open_->setCheckable(true);
    open_->setText(tr("Queue and log"));
    open_->setToolTip(tr("Open or close the queue and the worker's log (Ctrl+J)"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 0, 6, 0);
    row->addWidget(progress_);
    row->addWidget(text_, 1);
    row->addWidget(notices_, 2);
    row->addWidget(start_);
    row->addWidget(open_);
    connect(open_, &QToolButton::clicked, this, &JobStrip::open_asked);
    connect(start_, &QToolButton::clicked, this, &JobStrip::start_asked);
    set_table({});
}

void JobStrip::set_table(const JobTable& table) {
    const JobRow* running = nullptr;
    for (const JobRow& row : table.rows)
        if (!running && row.tone == JobTone::kActive) running = &row;
    const QString summary = QString::fromStdString(table.summary);
    state_ = running ? line_of(*running) + "   —   " + summary : summary;
    progress_->setVisible(running && running->progress);
    if (running && running->progress)
        progress_->setValue(static_cast<int>(std::lround(100 * *running->progress)));
    start_->setVisible(table.can_start);
    show_text();
}

void JobStrip::say(const QString& message) {
    message_ = message;
    show_text();
    QTimer::singleShot(kSayMs, this, [this, message] {
        if (message_ != message) return;
        message_.clear();
        show_text();
    });
}

void JobStrip::show_text() {
    if (message_.isEmpty())
        text_->set_line(state_);
    else
        text_->set_line(message_, state_);
}

void JobStrip::set_theme(const Theme& theme) {
    start_->setIcon(themed_icon("resume", theme));
    open_->setIcon(themed_icon("log", theme));
    for (QToolButton* button : {start_, open_})
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
}

void JobStrip::set_open(bool open) {
    open_->setChecked(open);
}

}  // namespace headroom
