#include "app/window/study_poller.h"

namespace headroom {

namespace {
constexpr int kLookEveryMs = 500;
}

StudyPoller::StudyPoller() : timer_(new QTimer(this)) {
    timer_->setInterval(kLookEveryMs);
    connect(timer_, &QTimer::timeout, this, &StudyPoller::look);
}

void StudyPoller::open(int generation, const std::filesystem::path& folder) {
    generation_ = generation;
    scanner_.emplace(folder);
    timer_->start();
    look();
}

void StudyPoller::close() {
    timer_->stop();
    scanner_.reset();
}

void StudyPoller::run(const std::function<void()>& task) {
    try {
        task();
    } catch (const std::exception& error) {
        emit failed(QString::fromUtf8(error.what()));
    }
    look();
}

void StudyPoller::look() {
    if (scanner_) emit found(generation_, scanner_->look());
}

}  // namespace headroom
