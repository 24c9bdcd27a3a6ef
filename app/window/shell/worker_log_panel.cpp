#include "app/window/shell/worker_log_panel.h"

#include <QFile>
#include <QFontDatabase>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

namespace headroom {

namespace {
constexpr int kReadLogEveryMs = 1000;
constexpr qint64 kMostBytes = 256 * 1024;
}  // namespace

WorkerLogPanel::WorkerLogPanel(QWidget* parent)
    : QWidget(parent), text_(new QPlainTextEdit), timer_(new QTimer(this)) {
    text_->setReadOnly(true);
    text_->setFrameShape(QFrame::NoFrame);
    text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    text_->setObjectName("workerLog");
    text_->setAccessibleName(tr("Log of the selected run's worker"));
    text_->setTabChangesFocus(true);
    text_->setPlaceholderText(tr("The selected run's worker has printed nothing yet."));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(text_);
    timer_->setInterval(kReadLogEveryMs);
    connect(timer_, &QTimer::timeout, this, &WorkerLogPanel::look);
    timer_->start();
}

void WorkerLogPanel::follow(const std::filesystem::path& file) {
    const QString path = QString::fromStdString(file.string());
    if (path == file_) return;
    file_ = path;
    size_ = -1;
    text_->clear();
    look();
}

void WorkerLogPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    look();
}

void WorkerLogPanel::look() {
    if (file_.isEmpty() || !isVisible()) return;
    QFile file(file_);
    if (file.size() == size_ || !file.open(QIODevice::ReadOnly)) return;
    size_ = file.size();
    file.seek(std::max<qint64>(0, size_ - kMostBytes));
    QScrollBar* bar = text_->verticalScrollBar();
    const bool at_end = bar->value() == bar->maximum();
    const int place = bar->value();
    text_->setPlainText(QString::fromUtf8(file.read(kMostBytes)));
    bar->setValue(at_end ? bar->maximum() : place);
}

}  // namespace headroom
