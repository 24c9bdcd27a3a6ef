#include "panels/jobs/job_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "panels/base/number_format.h"

namespace headroom {

static JobTone tone_of(RunPhase phase) {
    switch (phase) {
        case RunPhase::kStarting:
        case RunPhase::kRunning:
            return JobTone::kActive;
        case RunPhase::kPaused:
        case RunPhase::kLost:
        case RunPhase::kDiverged:
            return JobTone::kWarning;
        case RunPhase::kFinished:
            return JobTone::kGood;
        case RunPhase::kFailed:
            return JobTone::kBad;
        case RunPhase::kQueued:
        case RunPhase::kStopped:
            break;
    }
    return JobTone::kNeutral;
}

JobActions actions_in(RunPhase phase) {
    const bool works = phase == RunPhase::kStarting || phase == RunPhase::kRunning;
    const bool paused = phase == RunPhase::kPaused;
    const bool ended = phase == RunPhase::kFailed || phase == RunPhase::kStopped;
    JobActions actions;
    actions.pause = works;
    actions.resume = paused || ended || phase == RunPhase::kLost;
    actions.stop = works || paused || phase == RunPhase::kQueued;
    actions.remove = !works && !paused;
    actions.show_log = phase != RunPhase::kQueued;
    return actions;
}

/// "14:05" of today, "31 Jan 14:05" of another day; what is not ISO 8601 is shown as it is.
static std::string short_time(const std::string& iso, const std::string& now) {
    constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    constexpr size_t kDay = 10;
    constexpr size_t kMinutes = 16;
    if (iso.size() < kMinutes || iso[4] != '-' || iso[7] != '-') return iso;
    std::string clock = iso.substr(kDay + 1, 5);
    if (now.compare(0, kDay, iso, 0, kDay) == 0) return clock;
    const int month = (iso[5] - '0') * 10 + (iso[6] - '0');
    if (month < 1 || month > 12) return iso;
    return fmt::format("{} {} {}", iso.substr(8, 2), kMonths[static_cast<size_t>(month - 1)],
                       clock);
}

RunPhase effective_phase(const Run& run) {
    return effective_phase(run.status.phase, run.request);
}

/// The phase in a word, or what is about to become of it.
static std::string state_text(const Run& run) {
    if (run.planned) return "planned";
    const RunPhase phase = effective_phase(run);
    const bool works = phase == RunPhase::kStarting || phase == RunPhase::kRunning;
    const bool paused = phase == RunPhase::kPaused;
    if (works && run.request == ControlRequest::kPause) return "pausing…";
    if ((works || paused) && run.request == ControlRequest::kStop) return "stopping…";
    if (paused && run.request == ControlRequest::kRun) return "resuming…";
    return std::string(name_of(phase));
}

static std::string number_or_dash(double value) {
    return std::isnan(value) ? "–" : format_loss(value);
}

/// What the row says when the pointer rests on it.
static std::string detail_of(const Run& run, RunPhase phase) {
    if (!run.status.problem.empty()) return run.status.problem;
    std::string where =
        fmt::format("{}\nworked for {}", run.folder.string(), format_duration(run.status.seconds));
    if (phase != RunPhase::kLost) return where;
    return "The worker went without a word: something killed it, or the machine stopped; the "
           "study's queue.log may say more. “Resume” goes on from the last checkpoint.\n" +
           where;
}

static JobRow build_row(const Run& run, const JobTableContext& context) {
    const RunStatus& status = run.status;
    JobRow row;
    row.id = run.id;
    row.folder = run.folder;
    row.name = !run.name.empty() ? run.name : status.name.empty() ? run.id : status.name;
    row.variant = run.job ? run.job->model.arch : "–";
    const RunPhase phase = effective_phase(run);
    row.state = state_text(run);
    row.tone = tone_of(phase);
    if (status.steps > 0) {
        row.progress = std::clamp(
            static_cast<double>(status.step) / static_cast<double>(status.steps), 0.0, 1.0);
        row.steps =
            fmt::format("{} / {}", format_integer(status.step), format_integer(status.steps));
    } else {
        row.steps = status.step > 0 ? format_integer(status.step) : "–";
    }
    row.loss = number_or_dash(status.loss);
    row.val_loss = number_or_dash(status.val_loss);
    const bool works = phase == RunPhase::kRunning;
    row.tokens_per_second =
        status.tokens_per_second > 0 ? format_count(std::round(status.tokens_per_second)) : "–";
    row.remaining =
        works && status.remaining_seconds > 0 ? format_duration(status.remaining_seconds) : "–";
    row.started = run.started.empty() ? "–" : short_time(run.started, context.now);
    row.detail = detail_of(run, phase);
    if (!status.problem.empty()) row.tone = JobTone::kBad;
    row.color = run.color;
    row.shade = run.shade;
    if (run.planned)
        row.actions.remove = true;  // from the plan
    else
        row.actions = actions_in(phase);
    return row;
}

/// Counts by phase, then the time that the running one still needs, the longest of several.
static std::string summary_of(std::span<const RunPointer> runs) {
    constexpr std::array kOrder{RunPhase::kRunning,  RunPhase::kStarting, RunPhase::kPaused,
                                RunPhase::kQueued,   RunPhase::kLost,     RunPhase::kFinished,
                                RunPhase::kDiverged, RunPhase::kStopped,  RunPhase::kFailed};
    std::string text;
    for (const RunPhase phase : kOrder) {
        const auto count = std::count_if(runs.begin(), runs.end(), [phase](const auto& run) {
            return !run->planned && effective_phase(*run) == phase;
        });
        if (count == 0) continue;
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(phase));
    }
    const auto planned =
        std::count_if(runs.begin(), runs.end(), [](const auto& run) { return run->planned; });
    if (planned > 0) text += fmt::format("{}{} planned", text.empty() ? "" : ", ", planned);
    double remaining = 0;
    for (const auto& run : runs)
        if (effective_phase(*run) == RunPhase::kRunning)
            remaining = std::max(remaining, run->status.remaining_seconds);
    if (remaining > 0)
        text += fmt::format(" · {} left in the running one", format_duration(remaining));
    return text;
}

static bool waits_in_queue(const Run& run) {
    const RunPhase phase = effective_phase(run);
    return phase == RunPhase::kQueued || phase == RunPhase::kLost;
}

std::string why_none_starts(std::span<const RunPointer> runs) {
    const Run* first = nullptr;
    size_t waiting = 0;
    for (const RunPointer& run : runs) {
        if (!waits_in_queue(*run)) continue;
        // What a run that goes on has as its problem is what it ended with.
        if (run->status.phase != RunPhase::kQueued || run->status.problem.empty()) return "";
        if (waiting++ == 0) first = run.get();
    }
    if (first == nullptr) return "";
    const std::string others =
        waiting == 1 ? "" : fmt::format(" (and {} more cannot start)", waiting - 1);
    return fmt::format("Nothing starts: {}: {}{}", first->name, first->status.problem, others);
}

JobTable build_job_table(std::span<const RunPointer> runs, const JobTableContext& context) {
    JobTable table;
    for (const RunPointer& run : runs) table.rows.push_back(build_row(*run, context));
    table.summary = summary_of(runs);
    const bool waiting =
        std::any_of(runs.begin(), runs.end(), [](const auto& run) { return waits_in_queue(*run); });
    table.can_start = waiting && !context.scheduler;
    if (table.can_start) table.summary += " · the queue is not running";
    return table;
}

JobActions actions_of(std::span<const JobRow* const> rows) {
    JobActions all;
    for (const JobRow* row : rows) {
        all.pause |= row->actions.pause;
        all.resume |= row->actions.resume;
        all.stop |= row->actions.stop;
        all.remove |= row->actions.remove;
        all.show_log |= row->actions.show_log;
    }
    return all;
}

}  // namespace headroom
