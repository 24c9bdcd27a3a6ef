#include "app/window/study_poller.h"

#include <utility>

namespace headroom {

namespace {
constexpr int kLookEveryMs = 500;
}

StudyPoller::StudyPoller() : timer_(new QTimer(this)) {
    timer_->setInterval(kLookEveryMs);
    connect(timer_, &QTimer::timeout, this, &StudyPoller::look);
    connect(this, &StudyPoller::ordered, this, &StudyPoller::carry_out_orders,
            Qt::QueuedConnection);
}

void StudyPoller::post(std::function<void()> order) {
    {
        const std::lock_guard lock(mutex_);
        orders_.push_back(std::move(order));
    }
    emit ordered();
}

StudyPoller::Finding StudyPoller::latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
}

void StudyPoller::carry_out_orders() {
    std::vector<std::function<void()>> orders;
    {
        const std::lock_guard lock(mutex_);
        orders.swap(orders_);
    }
    for (const std::function<void()>& order : orders) order();
}

void StudyPoller::open(int generation, const std::filesystem::path& folder) {
    generation_ = generation;
    reader_.emplace(folder);
    announced_.reset();
    timer_->start();
    look();
}

void StudyPoller::close() {
    timer_->stop();
    reader_.reset();
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
    if (!reader_) return;
    StudyPointer study = reader_->look();
    if (study->reading) QTimer::singleShot(0, this, &StudyPoller::look);
    if (study == announced_) return;
    announced_ = study;
    {
        const std::lock_guard lock(mutex_);
        latest_ = {generation_, std::move(study)};
    }
    emit found();
}

}  // namespace headroom
