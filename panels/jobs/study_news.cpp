#include "panels/jobs/study_news.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "panels/base/number_format.h"
#include "panels/jobs/job_table.h"
#include "panels/study/merged_study.h"

namespace headroom {
namespace {

std::string diverged_text(const Run& run) {
    std::string text =
        fmt::format("{} has diverged at step {}", run.name, format_integer(run.status.step));
    if (!std::isnan(run.status.loss))
        text += fmt::format(" (loss {})", format_loss(run.status.loss));
    return text;
}

std::string failed_text(const Run& run) {
    const std::string why = run.status.problem;
    return run.name + " has failed" + (why.empty() ? "" : ": " + why);
}

/// "The queue has ended: 3 finished, 1 failed": of the runs that ended since it began, or since
/// it was first seen where it was at work by then.
std::string ended_text(const StudySnapshot& study, const std::map<std::string, RunPhase>& began,
                       bool met_at_work) {
    std::map<RunPhase, int> counts;
    for (const RunPointer& run : study.runs) {
        if (!is_own_run(study, *run)) continue;
        const RunPhase phase = effective_phase(*run);
        const auto before = began.find(run->id);
        if (!run->planned && (before == began.end() || before->second != phase)) ++counts[phase];
    }
    std::string text;
    for (const auto& [phase, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(phase));
    if (text.empty()) return "The queue has ended";
    return (met_at_work ? "The queue has ended; since the study was opened: "
                        : "The queue has ended: ") +
           text;
}

}  // namespace

std::vector<StudyNews> StudyNewsReader::read(const StudySnapshot& study) {
    std::vector<StudyNews> news;
    std::map<std::string, RunPhase> now;
    for (const RunPointer& run : study.runs) {
        const RunPhase phase = now[run->id] = effective_phase(*run);
        const auto before = phases_.find(run->id);
        // A run that is met in its end has only been read by now.
        if (before == phases_.end() || before->second == phase) continue;
        if (phase == RunPhase::kDiverged)
            news.push_back({StudyNews::Kind::kDiverged, diverged_text(*run), run->id});
        if (phase == RunPhase::kFailed)
            news.push_back({StudyNews::Kind::kFailed, failed_text(*run), run->id});
    }
    if (knows_any_ && scheduler_ && !study.scheduler_alive)
        news.push_back({StudyNews::Kind::kQueueEnded, ended_text(study, began_, met_at_work_), ""});
    if (study.scheduler_alive && !scheduler_) {
        began_ = knows_any_ ? phases_ : now;
        met_at_work_ = !knows_any_;
    }
    knows_any_ = true;
    scheduler_ = study.scheduler_alive;
    phases_ = std::move(now);
    return news;
}

void StudyNewsReader::forget() {
    *this = {};
}

}  // namespace headroom
