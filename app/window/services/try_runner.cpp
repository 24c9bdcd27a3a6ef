#include "app/window/services/try_runner.h"

#include "app/window/services/generation_worker.h"
#include "panels/playground/try_panel.h"

namespace headroom {

TryRunner::TryRunner(TryPanel* panel, std::filesystem::path program, QObject* parent)
    : QObject(parent), panel_(panel), program_(std::move(program)) {
    connect(panel, &TryPanel::generate_asked, this, &TryRunner::start_all);
    connect(panel, &TryPanel::stop_asked, this, &TryRunner::stop_all);
}

void TryRunner::abandon() {
    for (GenerationWorker* worker : workers_) delete worker;
    workers_.clear();
    next_ = panel_->answer_count();
}

void TryRunner::start_all() {
    abandon();
    settings_ = panel_->settings();
    stopping_ = false;
    next_ = 0;
    const size_t at_once = settings_.in_turns ? 1 : panel_->answer_count();
    for (size_t i = 0; i < at_once; ++i) start_next();
}

void TryRunner::start_next() {
    if (next_ < panel_->answer_count()) start(next_++);
}

void TryRunner::start(size_t index) {
    auto* worker = new GenerationWorker(this);
    workers_.push_back(worker);
    panel_->set_loading(index);
    connect(worker, &GenerationWorker::said, panel_,
            [this, index](const GenerationEvent& event) { panel_->take(index, event); });
    connect(worker, &GenerationWorker::ended, panel_, [this, index, worker](const WorkerEnd& end) {
        panel_->take_worker_end(index, end, worker->was_stopped());
        if (settings_.in_turns && !stopping_) start_next();
    });
    const AnswerBox& box = *panel_->box(index);
    worker->start(program_, generate_arguments(box.checkpoint(), settings_, box.sets()),
                  settings_.prompt);
}

void TryRunner::stop_all() {
    stopping_ = true;
    for (GenerationWorker* worker : workers_) worker->stop();
    // Those that wait for their turn have no worker that could end.
    for (; next_ < panel_->answer_count(); ++next_) panel_->take_worker_end(next_, {}, true);
}

}  // namespace headroom
