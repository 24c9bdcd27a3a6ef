#include "panels/run/run_set.h"

#include <algorithm>
#include <exception>
#include <system_error>

#include "core/base/file.h"
#include "core/study/run_folder.h"
#include "panels/run/run_names.h"

namespace headroom {
namespace {

constexpr uint64_t kLargestJob = 16 << 20;

/// The job as the folder has it, "" if there is none yet.
std::string read_job(const RunFolder& folder) {
    try {
        return read_text(folder.job(), kLargestJob);
    } catch (const std::exception&) {
        return "";
    }
}

}  // namespace

struct RunSet::Entry {
    RunFolder folder;
    std::optional<RunLogReader> reader;
    RunSeries series;
    std::string job;
    std::string problem;
    std::shared_ptr<const RunSeries> shared = std::make_shared<const RunSeries>();

    bool poll();
};

bool RunSet::Entry::poll() {
    const std::string job_before = job, problem_before = problem;
    problem.clear();
    bool changed = false;
    try {
        std::error_code ignored;
        if (!reader && std::filesystem::exists(folder.log(), ignored))
            reader = RunLogReader::open(folder.log());
        if (reader) changed = reader->poll(series);
    } catch (const std::exception& error) {
        reader.reset();
        series = {};  // a new reader starts anew; what was read stays on the screen
        problem = error.what();
    }
    if (changed) shared = std::make_shared<const RunSeries>(series);
    // The log carries its own job; a queued run has only the file.
    job = series.attributes.job_json.empty() ? read_job(folder) : series.attributes.job_json;
    return changed || job != job_before || problem != problem_before;
}

RunSet::RunSet() = default;
RunSet::~RunSet() = default;

void RunSet::follow(const std::vector<std::filesystem::path>& folders) {
    std::vector<std::unique_ptr<Entry>> entries;
    for (const std::filesystem::path& path : folders) {
        const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) {
            return entry && entry->folder.root == path;
        });
        if (known != entries_.end()) {
            entries.push_back(std::move(*known));
        } else {
            entries.push_back(std::make_unique<Entry>());
            entries.back()->folder.root = path;
        }
    }
    entries_ = std::move(entries);
    changed_ = true;
}

bool RunSet::poll() {
    bool changed = std::exchange(changed_, false);
    for (const auto& entry : entries_) changed = entry->poll() || changed;
    if (!changed) return false;

    std::vector<RunIdentity> identities;
    for (const auto& entry : entries_)
        identities.push_back({entry->folder.root.string(), entry->job});
    std::vector<RunSnapshot> snapshots = identify_runs(identities);
    assign_colors(snapshots, colors_);
    runs_.clear();
    for (size_t i = 0; i < snapshots.size(); ++i) {
        RunSnapshot& run = snapshots[i];
        run.series = entries_[i]->shared;
        run.problem = entries_[i]->problem;
        run.started_unix = parse_iso_time(run.series->attributes.started);
        runs_.push_back(std::make_shared<const RunSnapshot>(std::move(run)));
    }
    return true;
}

}  // namespace headroom
