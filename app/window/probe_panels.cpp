#include "app/window/probe_panels.h"

#include <algorithm>

#include "app/window/services/worker_process.h"
#include "panels/probe/profile_panel.h"
#include "panels/probe/similarity_panel.h"

namespace headroom {

ProbePanels::ProbePanels(std::filesystem::path program, QObject* parent)
    : QObject(parent),
      program_(std::move(program)),
      similarity_(new SimilarityPanel),
      profiles_(new ProfilePanel) {
    connect(similarity_, &SimilarityPanel::probe_asked, this,
            [this](const std::vector<std::string>& ids) { probe("similarity", ids); });
    connect(profiles_, &ProfilePanel::probe_asked, this, &ProbePanels::probe);
}

ProbePanels::~ProbePanels() = default;

void ProbePanels::set_runs(const std::vector<ProbeableRun>& runs) {
    runs_ = runs;
    similarity_->set_runs(runs);
    profiles_->set_runs(runs);
}

void ProbePanels::set_theme(const Theme& theme) {
    similarity_->set_theme(theme);
    profiles_->set_theme(theme);
}

void ProbePanels::probe(const std::string& kind, const std::vector<std::string>& ids) {
    problem_.clear();
    for (const ProbeableRun& run : runs_) {
        if (std::find(ids.begin(), ids.end(), run.id) == ids.end()) continue;
        const Task task{kind, run.folder};
        if (std::find(waiting_.begin(), waiting_.end(), task) == waiting_.end())
            waiting_.push_back(task);
    }
    if (worker_ == nullptr) start_next();
    show_work();
}

void ProbePanels::start_next() {
    if (waiting_.empty()) return;
    worker_ = new WorkerProcess(this);
    connect(worker_, &WorkerProcess::ended, this, &ProbePanels::take_end);
    const Task task = waiting_.front();  // it may fail to start, and be gone, at once
    worker_->start(program_, {"probe", task.kind, task.folder});
}

void ProbePanels::take_end(const WorkerEnd& end) {
    if (!end.well()) problem_ = "error: " + worker_problem(end);
    worker_->deleteLater();
    worker_ = nullptr;
    waiting_.pop_front();
    start_next();
    similarity_->refresh();
    profiles_->refresh();
    show_work();
    if (worker_ == nullptr) emit done();
}

void ProbePanels::show_work() {
    const auto count = static_cast<int>(waiting_.size());
    similarity_->set_work(count, problem_);
    profiles_->set_work(count, problem_);
}

}  // namespace headroom
