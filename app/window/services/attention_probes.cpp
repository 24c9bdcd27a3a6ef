#include "app/window/services/attention_probes.h"

#include <functional>

#include <fmt/format.h>

#include "app/window/services/job_queue.h"
#include "app/window/services/worker_process.h"
#include "core/probe/probe_file.h"
#include "core/study/run_folder.h"

namespace headroom {

namespace fs = std::filesystem;

AttentionProbes::AttentionProbes(QObject* parent) : QObject(parent) {}

AttentionProbes::~AttentionProbes() {
    // Before the folder that they write into.
    for (const auto& [wish, worker] : workers_) delete worker;
}

fs::path AttentionProbes::record_file(const AttentionRequest& wish) const {
    const std::string name = probe_file_name("attention", wish.step);
    if (wish.text.empty()) return RunFolder{wish.run}.probes() / name;
    const size_t place = std::hash<std::string>{}(wish.run.string() + '\n' + wish.text);
    return fs::path(folder_.path().toStdString()) / fmt::format("{:016x}-{}", place, name);
}

void AttentionProbes::start(const AttentionRequest& wish) {
    if (busy(wish)) return;
    problems_.erase(wish);
    const fs::path file = record_file(wish);
    std::error_code ignored;  // the worker says what is wrong with the folder
    fs::create_directories(file.parent_path(), ignored);
    std::vector<std::string> arguments{
        "probe", "attention",  wish.run.string(), "--step", std::to_string(wish.step),
        "--out", file.string()};
    if (wish.logits) arguments.push_back("--logits");
    // Joined by a sign of equality, a text may begin with a dash.
    if (!wish.text.empty()) arguments.push_back("--prompt=" + wish.text);
    auto* worker = new WorkerProcess(this);
    workers_[wish] = worker;
    connect(worker, &WorkerProcess::ended, this,
            [wish, this](const WorkerEnd& end) { take_end(wish, end); });
    worker->start(headroom_program(), arguments);
    emit changed();
}

void AttentionProbes::take_end(const AttentionRequest& wish, const WorkerEnd& end) {
    if (!end.well()) problems_[wish] = worker_problem(end);
    workers_.at(wish)->deleteLater();
    workers_.erase(wish);
    emit changed();
}

std::string AttentionProbes::problem(const AttentionRequest& wish) const {
    const auto at = problems_.find(wish);
    return at == problems_.end() ? "" : at->second;
}

}  // namespace headroom
