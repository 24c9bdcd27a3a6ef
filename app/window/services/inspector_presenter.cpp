#include "app/window/services/inspector_presenter.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "panels/jobs/job_table.h"

namespace headroom {

InspectorPresenter::InspectorPresenter(InspectorPanel* panel, QObject* parent)
    : QObject(parent),
      panel_(panel),
      looking_(
          [this](const Questions& questions) {
              Look look{questions, {}};
              for (const auto& question : questions)
                  look.answers.push_back(records_.look(question));
              return look;
          },
          [this](Look look) {
              QMetaObject::invokeMethod(
                  this, [this, look = std::move(look)] { take(look); }, Qt::QueuedConnection);
          }) {
    connect(&probes_, &AttentionProbes::changed, this, [this] {
        show();
        ask();
    });
    connect(panel_, &InspectorPanel::probe_asked, this, &InspectorPresenter::probe_pane);
    connect(panel_, &InspectorPanel::reference_asked, this, &InspectorPresenter::make_reference);
    connect(panel_, &InspectorPanel::step_asked, this, &InspectorPresenter::set_step);
    connect(panel_, &InspectorPanel::text_entered, this,
            [this](const QString& text) { set_text(text.toStdString()); });
}

InspectorPresenter::~InspectorPresenter() = default;

void InspectorPresenter::set_runs(const std::vector<RunPointer>& runs) {
    std::vector<RunPointer> kept = runs;
    if (kept.size() > kMostPanes) kept.resize(kMostPanes);
    const bool same =
        std::equal(kept.begin(), kept.end(), runs_.begin(), runs_.end(),
                   [](const auto& a, const auto& b) { return a->folder == b->folder; });
    runs_ = std::move(kept);
    if (!same) {
        answers_.clear();
        questions_.clear();
        if (runs_.empty()) show();
        probe_when_known_ = !text_.empty();
    }
    ask();
}

void InspectorPresenter::set_text(const std::string& text) {
    text_ = text;
    probe_when_known_ = !text.empty();
    ask();
}

void InspectorPresenter::set_step(int64_t step) {
    step_ = step;
    probe_when_known_ = !text_.empty();
    ask();
}

AttentionRequest InspectorPresenter::wish(size_t run, int64_t step) const {
    // Logits double a record: they are kept where it stays below a quarter of a gigabyte.
    constexpr int64_t kMostEntries = int64_t{1} << 26;
    bool logits = true;
    if (const auto& job = runs_[run]->job; job && text_.empty())
        logits = int64_t{job->model.n_layer} * job->model.n_head * job->train.seq_len *
                     job->train.seq_len <=
                 kMostEntries;
    return {runs_[run]->folder, step, text_, logits};
}

void InspectorPresenter::ask() {
    Questions questions;
    for (size_t i = 0; i < runs_.size(); ++i) {
        AttentionRecords::Question question{
            runs_[i]->folder, runs_[i]->name, step_, {}, !text_.empty()};
        for (const auto& [wish, known] : entered_)
            if (wish.run == runs_[i]->folder && wish.text == text_)
                question.files[wish.step] = probes_.record_file(wish);
        questions.push_back(std::move(question));
    }
    questions_ = questions;
    looking_.request(std::move(questions));
}

void InspectorPresenter::take(const Look& look) {
    // An answer to what is not asked any more is dropped; another is on its way.
    if (look.questions.size() != questions_.size()) return;
    for (size_t i = 0; i < questions_.size(); ++i)
        if (look.questions[i].run != questions_[i].run ||
            look.questions[i].step != questions_[i].step ||
            look.questions[i].own_text != questions_[i].own_text ||
            look.questions[i].files != questions_[i].files)
            return;
    answers_ = look.answers;
    show();
    if (!probe_when_known_) return;
    probe_when_known_ = false;
    probe_missing();
}

void InspectorPresenter::probe_missing() {
    for (size_t i = 0; i < answers_.size(); ++i)
        if (!answers_[i].source) probe(i);
}

/// Nobody goes on with it.
static bool is_over(const Run& run) {
    const RunPhase phase = effective_phase(run);
    return phase == RunPhase::kDiverged || phase == RunPhase::kFinished;
}

static std::string why_no_checkpoint(const Run& run) {
    if (!run.job && is_imported(RunFolder{run.folder}))
        return run.name + " was imported: it has a log, but no checkpoints";
    if (is_over(run))
        return run.name +
               " has no checkpoint: it ended before its first train.checkpoint_every steps";
    return run.name +
           " has no checkpoint yet; there is one after its first train.checkpoint_every steps";
}

InspectorPane InspectorPresenter::pane_of(size_t i) const {
    InspectorPane pane;
    pane.name = runs_[i]->name;
    if (i >= answers_.size()) {
        pane.note = "Looking for attention records…";
        return pane;
    }
    const AttentionRecords::Answer& answer = answers_[i];
    pane.source = answer.source;
    pane.can_probe =
        std::binary_search(answer.checkpoints.begin(), answer.checkpoints.end(), answer.step);
    const AttentionRequest asked = wish(i, answer.step);
    pane.busy = probes_.busy(asked);
    const std::string problem = probes_.problem(asked);
    if (!problem.empty())
        pane.note = problem;
    else if (!answer.problem.empty())
        pane.note = answer.problem;
    else if (answer.step < 0)
        pane.note = why_no_checkpoint(*runs_[i]);
    else
        pane.note = fmt::format("No attention record of {} at step {}", pane.name, answer.step);
    return pane;
}

void InspectorPresenter::show() {
    std::vector<InspectorPane> panes;
    for (size_t i = 0; i < runs_.size(); ++i) panes.push_back(pane_of(i));
    // A view made anew would read its differences anew.
    if (panes != panes_) panel_->set_view(build_inspector_view(panes));
    panes_ = std::move(panes);
    if (answers_.empty())
        panel_->set_steps({}, -1);
    else
        panel_->set_steps(answers_[0].steps, answers_[0].step);
    emit shown();
}

void InspectorPresenter::probe(size_t run) {
    if (run >= answers_.size() || answers_[run].step < 0) return;
    const AttentionRequest asked = wish(run, answers_[run].step);
    if (!text_.empty()) entered_[asked] = true;
    probes_.start(asked);
}

/// A difference is missing because one of its two runs is.
void InspectorPresenter::probe_pane(int pane) {
    const bool differences =
        effective_mode(panel_->view(), panel_->settings().compare) == CompareMode::kDifference;
    if (!differences) return probe(static_cast<size_t>(pane));
    if (!answers_.empty() && !answers_[0].source) probe(0);
    const auto other = static_cast<size_t>(pane) + 1;
    if (other < answers_.size() && !answers_[other].source) probe(other);
}

void InspectorPresenter::make_reference(int pane) {
    const auto i = static_cast<size_t>(pane);
    if (i == 0 || i >= runs_.size()) return;
    emit reference_asked(runs_[i]->id);
}

}  // namespace headroom
