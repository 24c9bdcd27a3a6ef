#include "app/study/search_runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/study/study_expand.h"
#include "app/vocabulary.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/run_log_reader.h"
#include "core/search/successive_halving.h"
#include "core/study/job_paths.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "core/study/study_edit.h"
#include "core/study/study_folder.h"
#include "core/study/wiring_search.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// The wirings of the study's other runs. One that a candidate has already is left out: a run that
/// somebody adds later does not change what was drawn.
std::vector<Wiring> known_wirings(const Study& study, const WiringSearch& search) {
    std::vector<Wiring> known, drawn;
    for (const StudyRun& run : study.runs)
        (is_candidate_id(search, run.variant) ? drawn : known).push_back(run.job.model.wiring);
    std::erase_if(known, [&](const Wiring& wiring) {
        return std::find(drawn.begin(), drawn.end(), wiring) != drawn.end();
    });
    return known;
}

/// The validation loss that a run's log has after exactly `steps` steps.
std::optional<double> logged_loss(const RunFolder& run, int64_t steps) {
    if (!fs::exists(run.log())) return std::nullopt;
    const RunSeries series = read_run_log(run.log());
    for (size_t i = 0; i < series.val.step.size(); ++i)
        if (series.val.step[i] == steps) return series.val.loss[i];
    if (series.state == RunState::kDiverged) return HUGE_VAL;
    return std::nullopt;
}

/// What tells it from the others: its edits, or those that its parent has not.
std::string candidate_name(const std::vector<SearchCandidate>& all,
                           const SearchCandidate& candidate) {
    std::vector<std::string> edits = candidate.drawn.edits;
    for (const SearchCandidate& other : all)
        if (other.id == candidate.parent)
            std::erase_if(edits, [&](const std::string& line) {
                const std::vector<std::string>& its = other.drawn.edits;
                return std::find(its.begin(), its.end(), line) != its.end();
            });
    if (candidate.parent.empty() || edits.empty())
        return fmt::format("{}: {}", candidate.id, short_text(candidate.drawn.edits));
    return fmt::format("{}: {} with {}", candidate.id, candidate.parent, short_text(edits));
}

/// Runs of a candidate are of the wiring that it stands for: a search that draws others under the
/// names of those that were trained would choose by the losses of other models.
void check_drawn(const Study& study, const SearchProgress& progress) {
    for (const SearchCandidate& candidate : progress.candidates)
        for (const StudyRun& run : study.runs)
            if (run.variant == candidate.id && !(run.job.model.wiring == candidate.drawn.wiring))
                throw UserError(
                    fmt::format("{} was trained with another wiring than the search draws now: its "
                                "\"search\", its job or what its budget counts has changed",
                                candidate.id),
                    "start the search in another folder, or put back what was changed");
}

/// The candidate as a run of the study. The rate runs over all steps, however few it trains for.
StudyRun run_of(const WiringSearch& search, const SearchProgress& progress,
                const SearchTrial& trial) {
    const SearchCandidate& candidate = progress.candidates[trial.candidate];
    StudyRun run{id_of_seed(candidate.id, trial.seed), candidate.id, search.job};
    run.job.name = candidate_name(progress.candidates, candidate);
    run.job.seed = trial.seed;
    run.job.model = with_wiring(search.job.model, candidate.drawn.wiring);
    run.job.train.steps = trial.steps;
    run.job.train.decay_steps = search.job.train.cosine_steps();
    if (run.job.train.starts_from_file() && run.job.train.init_convert == "none")
        run.job.train.init_convert = "rewire";
    return run;
}

/// Writes down what is missing. False where the study has all of it: it was tried and failed.
bool add_to_study(const fs::path& study_dir, const WiringSearch& search,
                  const SearchProgress& progress) {
    const std::string before = read_text(StudyFolder{study_dir}.plan());
    std::map<std::string, int64_t> steps;
    std::vector<StudyRun> added;
    const Study study = load_study(StudyFolder{study_dir}.plan());
    for (const SearchTrial& trial : progress.missing) {
        const SearchCandidate& candidate = progress.candidates[trial.candidate];
        const bool listed = std::any_of(
            study.runs.begin(), study.runs.end(),
            [&](const StudyRun& run) { return run.id == id_of_seed(candidate.id, trial.seed); });
        steps[candidate.id] = trial.steps;
        if (!listed) added.push_back(run_of(search, progress, trial));
    }
    raise_steps(study_dir, steps);
    if (!added.empty()) add_runs(study_dir, added);
    return read_text(StudyFolder{study_dir}.plan()) != before;
}

/// Counts need the vocabulary, which candidates' jobs leave to the data.
WiringSearch with_vocabulary(WiringSearch search, const fs::path& study_dir) {
    make_paths_absolute(search.job, study_dir);
    if (search.by != "cache") resolve_vocabulary(search.job, false);
    return search;
}

std::string end_text(const SearchProgress& progress) {
    std::string text = "search: done;";
    for (const size_t index : progress.finalists) {
        const SearchCandidate& candidate = progress.candidates[index];
        text += fmt::format("{} {} ({})", index == progress.finalists.front() ? "" : ",",
                            candidate.id, fmt::join(candidate.drawn.edits, "; "));
    }
    return text;
}

/// A study that has both can be read, compared and removed from all the same.
void refuse_two_lengths(const WiringSearch& search) {
    if (search.budgeted)
        throw UserError("\"search\" and \"budget\" both say how long wirings are trained",
                        "write train.steps into \"job\" in place of \"budget\"");
}

}  // namespace

void check_search(const fs::path& study_dir) {
    const std::optional<WiringSearch> search = load_search(study_dir);
    if (!search) return;
    refuse_two_lengths(*search);
    SearchBudget{with_vocabulary(*search, study_dir)};
}

bool queue_search_runs(const fs::path& study_dir,
                       const std::function<void(const std::string&)>& say) {
    const std::optional<WiringSearch> search = load_search(study_dir);
    if (!search) return false;
    refuse_two_lengths(*search);
    const WiringSearch counted = with_vocabulary(*search, study_dir);
    const auto loss = [&](const SearchCandidate& candidate, const SearchTrial& trial) {
        return logged_loss(StudyFolder{study_dir}.run(id_of_seed(candidate.id, trial.seed)),
                           trial.steps);
    };
    const Study study = load_study(StudyFolder{study_dir}.plan());
    const SearchProgress progress = plan_search(counted, known_wirings(study, *search), loss);
    check_drawn(study, progress);
    if (progress.missing.empty()) {
        say(end_text(progress));
        return false;
    }
    if (!add_to_study(study_dir, *search, progress)) {
        say(fmt::format("search: {}; it waits for runs that have not finished", progress.stage));
        return false;
    }
    say("search: " + progress.stage);
    expand_study(load_study(StudyFolder{study_dir}.plan()), study_dir, say);
    return true;
}

}  // namespace headroom
