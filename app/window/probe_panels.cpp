#include "app/window/probe_panels.h"

#include <QProcess>
#include <algorithm>

#include "panels/probe/profile_panel.h"
#include "panels/probe/similarity_panel.h"

namespace headroom {
namespace {

constexpr int kEndsWithinMs = 2000;

}  // namespace

ProbePanels::ProbePanels(std::filesystem::path program, QObject* parent)
    : QObject(parent),
      program_(std::move(program)),
      similarity_(new SimilarityPanel),
      profiles_(new ProfilePanel) {
    connect(similarity_, &SimilarityPanel::probe_asked, this,
            [this](const std::vector<std::string>& ids) { probe("similarity", ids); });
    connect(profiles_, &ProfilePanel::probe_asked, this, &ProbePanels::probe);
}

ProbePanels::~ProbePanels() {
    if (worker_ == nullptr) return;
    worker_->disconnect(this);
    worker_->kill();
    worker_->waitForFinished(kEndsWithinMs);
}

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
    worker_ = new QProcess(this);
    worker_->setStandardOutputFile(QProcess::nullDevice());
    connect(worker_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus how) {
        take_end(how == QProcess::NormalExit && code == 0);
    });
    connect(worker_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) take_end(false);
    });
    const Task& task = waiting_.front();
    worker_->start(
        QString::fromStdString(program_.string()),
        {"probe", QString::fromStdString(task.kind), QString::fromStdString(task.folder)});
}

/// The last line that a failed worker wrote says why.
void ProbePanels::take_end(bool good) {
    if (!good) {
        const QString text = QString::fromUtf8(worker_->readAllStandardError()).trimmed();
        problem_ = text.section('\n', -1).toStdString();
        if (problem_.empty())
            problem_ = "error: the probe ended: " + worker_->errorString().toStdString();
    }
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
