#include "app/study/study_expand.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/printable.h"
#include "core/config/job_keys.h"
#include "core/config/learning_rate.h"
#include "core/study/job_paths.h"
#include "core/study/run_control.h"
#include "core/study/run_job.h"
#include "core/study/run_status.h"
#include "core/study/study_folder.h"
#include "core/study/study_labels.h"

namespace headroom {
namespace {

/// More steps of the same schedule: the log of the steps that there are stays right.
bool only_goes_on(const Job& planned, Job begun) {
    if (begun.train.steps >= planned.train.steps || !same_rates(begun.train, planned.train))
        return false;
    begun.train.steps = planned.train.steps;
    begun.train.decay_steps = planned.train.decay_steps;
    return is_same_job(planned, begun);
}

/// "train.lr = 2e-3, and it began with 1e-3": the first key of which a plan says something else,
/// and how many more there are.
std::string what_differs(const Job& begun, Job planned) {
    if (planned.model.vocab_size == 0) planned.model.vocab_size = begun.model.vocab_size;
    const std::vector<KeyDifference> keys = key_differences(begun, planned);
    if (keys.empty()) return "changed since it began";
    constexpr size_t kShown = 60;
    std::string text =
        fmt::format("{} = {}, and it began with {}", keys.front().field->path,
                    printable(keys.front().after, kShown), printable(keys.front().before, kShown));
    if (keys.size() > 1)
        text += fmt::format(" ({} more key{} differ{})", keys.size() - 1,
                            keys.size() == 2 ? "" : "s", keys.size() == 2 ? "s" : "");
    return text;
}

/// The runs that start from a checkpoint of this one, with their jobs.
std::vector<std::pair<RunFolder, Job>> runs_started_from(const RunFolder& run,
                                                         const std::filesystem::path& study_dir) {
    const std::filesystem::path own = std::filesystem::absolute(run.root).lexically_normal();
    std::vector<std::pair<RunFolder, Job>> found;
    for (const RunFolder& other : list_runs(study_dir)) try {
            Job job = load_run_job(other);
            const std::filesystem::path weights = job.train.init_from;
            if (job.train.starts_from_file() && weights.parent_path().parent_path() == own)
                found.emplace_back(other, std::move(job));
        } catch (const UserError&) {
            continue;  // whoever trains it says what is wrong
        }
    return found;
}

/// Whether its job may name what it starts from otherwise: its log, by which it is resumed, cannot.
bool may_be_renamed_in(const RunFolder& run) {
    return !std::filesystem::exists(run.log()) || run_status(run.root).phase == RunPhase::kFinished;
}

/// Moves a run with its label and what starts from it.
void rename_run(const RunFolder& from, const RunFolder& to, const Job& job,
                const std::vector<std::pair<RunFolder, Job>>& started_from,
                const std::filesystem::path& study_dir) {
    move_folder(from.root, to.root);
    write_job(to, job);
    const std::filesystem::path folder =
        std::filesystem::absolute(to.checkpoints()).lexically_normal();
    for (const auto& [run, before] : started_from) {
        Job its = before;
        its.train.init_from =
            (folder / std::filesystem::path(its.train.init_from).filename()).string();
        write_job(run, its);
    }
    change_labels(study_dir, [&](StudyLabels& labels) {
        auto label = labels.runs.extract(from.root.filename().string());
        if (label.empty()) return;
        label.key() = to.root.filename().string();
        labels.runs.insert(std::move(label));
    });
}

}  // namespace

void restore_jobs(const std::filesystem::path& study_dir,
                  const std::function<void(const std::string&)>& say) {
    for (const RunFolder& run : list_runs(study_dir)) {
        if (run_job_source(run) == run.job()) continue;
        const std::string id = run.root.filename().string();
        try {
            write_job(run, load_run_job(run));
            say(id + ": had no job.json; it is written again, as its log has it");
        } catch (const UserError& error) {
            say(fmt::format("{}: has no job.json, and its log cannot tell: {}", id, error.what()));
        }
    }
}

/// The job of the lone run in `folder` if it is that of `planned`, under the name that it has
/// there; none of a run of another job, or of none of ours.
static std::optional<Job> lone_job(const RunFolder& folder, const StudyRun& planned,
                                   const std::filesystem::path& study_dir) {
    Job job = planned.job;
    make_paths_absolute(job, study_dir);
    try {
        Job begun = load_run_job(folder);
        begun.name = job.name;
        if (is_same_job(job, begun) || only_goes_on(job, begun)) return begun;
    } catch (const UserError&) {  // such as an imported run of that name
        return std::nullopt;
    }
    return std::nullopt;
}

/// A variant of one seed has a run of its own name, a, and of several a-s1, a-s2, …: where seeds
/// were added, the run that there is becomes that of its seed and is not trained once more. Not
/// while somebody works on it, nor on what starts from it.
static void name_by_seed(const Study& study, const std::filesystem::path& study_dir,
                         const std::function<void(const std::string&)>& say) {
    std::set<std::string> ids;
    for (const StudyRun& planned : study.runs) ids.insert(planned.id);
    for (const StudyRun& planned : study.runs) {
        const RunFolder lone = StudyFolder{study_dir}.run(planned.variant);
        const RunFolder run = StudyFolder{study_dir}.run(planned.id);
        if (ids.contains(planned.variant) || std::filesystem::exists(run.root) ||
            !std::filesystem::exists(lone.job()) || is_worker_alive(lone.root))
            continue;
        const std::optional<Job> begun = lone_job(lone, planned, study_dir);
        if (!begun) continue;
        const auto started_from = runs_started_from(lone, study_dir);
        if (!std::all_of(started_from.begin(), started_from.end(),
                         [](const auto& other) { return may_be_renamed_in(other.first); }))
            continue;
        rename_run(lone, run, *begun, started_from, study_dir);
        say(fmt::format("{} is {} by now, beside further seeds", planned.variant, planned.id));
    }
}

/// A run that waits, but not for study.json: a variant or a point of a sweep that is no longer
/// there, or a folder that somebody brought.
static void name_unlisted(const Study& study, const std::filesystem::path& study_dir,
                          const std::function<void(const std::string&)>& say) {
    std::set<std::string> ids;
    for (const StudyRun& planned : study.runs) ids.insert(planned.id);
    for (const RunFolder& run : list_runs(study_dir)) {
        const std::string id = run.root.filename().string();
        if (ids.contains(id) || std::filesystem::exists(run.log())) continue;
        say(
            fmt::format("{}: study.json has no such run; it is trained as its job.json says "
                        "(remove {} if it shall not be)",
                        id, run.root.string()));
    }
}

int expand_study(const Study& study, const std::filesystem::path& study_dir,
                 const std::function<void(const std::string&)>& say) {
    restore_jobs(study_dir, say);
    name_by_seed(study, study_dir, say);
    int written = 0;
    for (const StudyRun& planned : study.runs) {
        const RunFolder run = StudyFolder{study_dir}.run(planned.id);
        Job job = planned.job;
        make_paths_absolute(job, study_dir);
        std::optional<Job> begun;
        if (std::filesystem::exists(run.log())) begun = load_run_job(run);
        if (!begun && is_worker_alive(run.root)) continue;  // it has just read its job
        if (!begun || only_goes_on(job, *begun)) {
            if (begun) job.model.vocab_size = begun->model.vocab_size;
            write_job(create_run_folder(run.root), job);
            ++written;
        } else if (!is_same_job(job, *begun)) {
            say(fmt::format("{}: study.json has {}; it keeps its job (remove {} to train it anew)",
                            planned.id, what_differs(*begun, job), run.root.string()));
        }
    }
    name_unlisted(study, study_dir, say);
    return written;
}

static std::vector<std::string> changed_since_begun(const Study& study,
                                                    const std::filesystem::path& study_dir) {
    std::vector<std::string> changed;
    for (const StudyRun& planned : study.runs) {
        const RunFolder run = StudyFolder{study_dir}.run(planned.id);
        if (!std::filesystem::exists(run.log()) || !std::filesystem::exists(run.job())) continue;
        Job job = planned.job;
        make_paths_absolute(job, study_dir);
        const Job begun = load_run_job(run);
        if (!is_same_job(job, begun) && !only_goes_on(job, begun)) changed.push_back(planned.id);
    }
    return changed;
}

std::string note_of_changed_runs(const std::filesystem::path& study_dir) {
    try {
        const Study study = load_study(StudyFolder{study_dir}.plan());
        const std::vector<std::string> changed = changed_since_begun(study, study_dir);
        if (changed.empty()) return "";
        constexpr size_t kNamed = 8;
        const size_t named = std::min(changed.size(), kNamed);
        return fmt::format(
            "study.json has changed since {}{} began: what is told of {} is of the "
            "job that each run's own job.json has",
            fmt::join(changed.begin(), changed.begin() + static_cast<long>(named), ", "),
            changed.size() > named ? fmt::format(" and {} more", changed.size() - named) : "",
            changed.size() == 1 ? "it" : "them");
    } catch (const UserError&) {
        return "";  // whoever needs the file says what is wrong with it
    }
}

std::vector<std::string> run_order(const std::filesystem::path& study_dir) {
    std::vector<std::string> order;
    try {
        std::vector<StudyRun> runs = load_study(StudyFolder{study_dir}.plan()).runs;
        std::stable_sort(runs.begin(), runs.end(), [](const StudyRun& a, const StudyRun& b) {
            return a.priority > b.priority;
        });
        for (const StudyRun& run : runs) order.push_back(run.id);
    } catch (const std::exception&) {
        order.clear();  // `study run` says what is wrong with it; everything else goes by name
    }
    return order;
}

std::vector<RunFolder> list_runs_in_order(const std::filesystem::path& study_dir,
                                          const std::vector<std::string>& order) {
    std::vector<RunFolder> runs = list_runs(study_dir);
    std::unordered_map<std::string, size_t> places;
    for (const std::string& id : order) places.emplace(id, places.size());
    const auto place = [&](const RunFolder& run) {
        const auto found = places.find(run.root.filename().string());
        return found == places.end() ? places.size() : found->second;
    };
    std::stable_sort(runs.begin(), runs.end(),
                     [&](const RunFolder& a, const RunFolder& b) { return place(a) < place(b); });
    return runs;
}

}  // namespace headroom
