#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panels/study/run.h"

namespace headroom {

/// What a person may do with a run in its present phase.
struct JobActions {
    bool pause = false;
    bool resume = false;  ///< goes on: where it is, or from the last checkpoint in the queue
    bool stop = false;
    bool remove = false;
    bool show_log = false;

    bool operator==(const JobActions&) const = default;
};

/// How a state is coloured.
enum class JobTone { kNeutral, kActive, kGood, kWarning, kBad };

/// One row of the queue, ready to be shown: every text is final, nothing is left to the view.
struct JobRow {
    std::string id;
    std::filesystem::path folder;
    std::string name;
    std::string variant;
    std::string state;  ///< "running", "queued", …
    JobTone tone = JobTone::kNeutral;
    std::optional<double> progress;  ///< 0 to 1; none where the number of steps is unknown
    std::string steps;               ///< "120 / 500"
    std::string loss;
    std::string val_loss;
    std::string tokens_per_second;
    std::string remaining;
    std::string started;       ///< local time of day, with the date where it is not today
    std::string detail;        ///< tool tip: the problem if there is one, else folder and times
    int color = 0, shade = 0;  ///< as in all views
    JobActions actions;

    bool operator==(const JobRow&) const = default;
};

struct JobTable {
    std::vector<JobRow> rows;
    bool can_start = false;  ///< runs wait and nobody works on them
    std::string summary;     ///< "2 running, 1 queued, 3 finished · about 4 min left"
};

JobActions actions_in(RunPhase phase);

/// The phase as a person sees it (core/study/run_status.h).
RunPhase effective_phase(const Run& run);

/// What the table needs to know beside the runs themselves.
struct JobTableContext {
    std::string now;         ///< ISO 8601 local time, to tell today's runs from older ones
    bool scheduler = false;  ///< `headroom study run` works on the study
};

/// Why none of the runs that wait will start, such as files that are not there; "" where one will,
/// or none waits.
std::string why_none_starts(std::span<const RunPointer> runs);

/// Pure.
JobTable build_job_table(std::span<const RunPointer> runs, const JobTableContext& context);

/// What may be done with all of `rows` at once: an action counts if it applies to at least one.
JobActions actions_of(std::span<const JobRow* const> rows);

}  // namespace headroom
