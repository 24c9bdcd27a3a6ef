#include "app/window/services/probe_queue.h"

#include <algorithm>

#include "app/window/services/worker_process.h"

namespace headroom {

ProbeQueue::ProbeQueue(std::filesystem::path program, QObject* parent)
    : QObject(parent), program_(std::move(program)) {}

ProbeQueue::~ProbeQueue() = default;

void ProbeQueue::add(const std::string& kind, const std::vector<ProbeableRun>& runs) {
    problem_.clear();
    for (const ProbeableRun& run : runs) {
        const Task task{kind, run.folder};
        if (std::find(waiting_.begin(), waiting_.end(), task) == waiting_.end())
            waiting_.push_back(task);
    }
    if (worker_ == nullptr) start_next();
    emit moved();
}

void ProbeQueue::start_next() {
    if (waiting_.empty()) return;
    worker_ = new WorkerProcess(this);
    connect(worker_, &WorkerProcess::ended, this, [this](const WorkerEnd& end) {
        if (!end.well()) problem_ = "error: " + worker_problem(end);
        worker_->deleteLater();
        worker_ = nullptr;
        waiting_.pop_front();
        start_next();
        emit probed();
        emit moved();
    });
    const Task task = waiting_.front();  // it may fail to start, and be gone, at once
    worker_->start(program_, {"probe", task.kind, task.folder});
}

}  // namespace headroom
