#include "app/window/services/probe_queue.h"

#include <algorithm>

#include "core/base/error.h"
#include "panels/base/worker_progress.h"

namespace headroom {

ProbeQueue::ProbeQueue(std::filesystem::path program, QObject* parent)
    : QObject(parent), worker_(std::move(program)) {
    connect(&worker_, &StreamWorker::told, this, [this](const std::string& line) {
        try {
            share_ = read_worker_line(line).share;
            emit moved();
        } catch (const UserError&) {  // only how far it is would be missing
        }
    });
    connect(&worker_, &StreamWorker::ended, this, &ProbeQueue::finish);
}

void ProbeQueue::add(const std::string& kind, const std::vector<ProbeableRun>& runs) {
    problem_.clear();
    for (const ProbeableRun& run : runs) {
        const Task task{kind, run.folder};
        if (std::find(waiting_.begin(), waiting_.end(), task) == waiting_.end())
            waiting_.push_back(task);
    }
    if (!busy()) start_next();
    emit moved();
}

std::string ProbeQueue::kind_for(const std::string& folder) const {
    const auto task = std::find_if(waiting_.begin(), waiting_.end(),
                                   [&](const Task& each) { return each.folder == folder; });
    return task == waiting_.end() ? "" : task->kind;
}

void ProbeQueue::stop(const std::string& folder) {
    const bool was_at_work = !waiting_.empty() && waiting_.front().folder == folder;
    std::erase_if(waiting_, [&](const Task& task) { return task.folder == folder; });
    if (was_at_work && worker_.stop()) start_next();
    emit moved();
}

void ProbeQueue::start_next() {
    share_ = 0;
    if (waiting_.empty()) return;
    const Task task = waiting_.front();  // it may fail to start, and be gone, at once
    worker_.start({"probe", task.kind, task.folder, "--stream"});
}

void ProbeQueue::finish(const WorkerEnd& end) {
    if (!end.well()) problem_ = "error: " + worker_problem(end);
    waiting_.pop_front();
    start_next();
    emit probed();
    emit moved();
}

}  // namespace headroom
