#include "panels/study/study_reader.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/natural_order.h"
#include "core/study/job_paths.h"
#include "core/study/run_budget.h"
#include "core/study/study.h"
#include "core/study/study_folder.h"
#include "core/study/study_lock.h"
#include "core/study/trash.h"
#include "panels/study/run_colors.h"
#include "panels/study/training_rate.h"

namespace headroom {

namespace fs = std::filesystem;

StudyReader::StudyReader(fs::path folder, StudyReadOptions options)
    : folder_(std::move(folder)), options_(std::move(options)) {}

StudyReader::~StudyReader() = default;

StudyPointer StudyReader::look() {
    std::string problem = study_problem(folder_);
    bool changed = !latest_;
    if (problem.empty()) {
        try {
            bool identities_changed = list_folders();
            identities_changed = poll_runs() || identities_changed;
            identities_changed = read_plan() || identities_changed;
            identities_changed = read_study_labels() || identities_changed;
            if (identities_changed) identify();
            if (identities_changed) in_trash_ = ids_in_trash(folder_);  // a removal is a change
            changed = changed || identities_changed || !changed_.empty();
        } catch (const std::exception& error) {
            problem = error.what();
        }
    }
    const bool scheduler = StudyLock::holder(folder_).has_value();
    const std::string& said = !problem.empty()         ? problem
                              : !plan_problem_.empty() ? plan_problem_
                                                       : labels_problem_;
    changed = changed || latest_->scheduler_alive != scheduler || latest_->problem != said;
    if (changed) build_snapshot(said);
    return latest_;
}

StudyPointer StudyReader::look_at_all() {
    StudyPointer study = look();
    while (study->reading) study = look();
    return study;
}

/// The folders of runs that came or went.
bool StudyReader::list_folders() {
    bool changed = false;
    std::set<std::string> there;
    for (const RunFolder& run : list_runs(folder_)) {
        const std::string id = run.root.filename().string();
        there.insert(id);
        std::unique_ptr<RunReader>& reader = readers_[id];
        if (reader) continue;
        const bool wanted = !options_.only || options_.only->contains(id);
        reader =
            std::make_unique<RunReader>(run.root, wanted ? options_.rows : RunReader::Rows::kNone);
        changed = true;
    }
    const auto gone = [&](const auto& reader) { return !there.contains(reader.first); };
    changed = std::erase_if(readers_, gone) > 0 || changed;
    return changed;
}

/// True if a job changed, so that runs may have other names.
bool StudyReader::poll_runs() {
    constexpr auto kSlice = std::chrono::milliseconds(250);
    const auto end = std::chrono::steady_clock::now() + kSlice;
    bool jobs_changed = false;
    for (const auto& [id, reader] : readers_) {
        const int before = reader->identity_changes();
        if (reader->poll()) changed_.insert(id);
        jobs_changed = jobs_changed || reader->identity_changes() != before;
    }
    for (const auto& [id, reader] : readers_) {
        if (!reader->has_unread_rows()) continue;
        reader->poll_rows();
        changed_.insert(id);
        if (std::chrono::steady_clock::now() > end) break;
    }
    return jobs_changed;
}

bool StudyReader::read_plan() {
    const fs::path file = StudyFolder{folder_}.plan();
    if (!plan_file_.changed(file)) return false;
    std::error_code ignored;
    plan_.clear();
    plan_figures_.clear();
    plan_name_.clear();
    plan_job_.clear();
    plan_problem_.clear();
    if (!fs::exists(file, ignored)) return true;
    try {
        const nlohmann::json document = load_json(file);
        if (const nlohmann::json job = common_job(document); !job.is_null()) plan_job_ = job.dump();
        const Study study = parse_study(document, file.string());
        plan_name_ = study.name;
        plan_figures_ = study.figures;
        for (const StudyRun& planned : with_seeds_together(study.runs)) {
            Job job = planned.job;
            make_paths_absolute(job, folder_);
            Run run;
            run.id = planned.id;
            run.folder = StudyFolder{folder_}.run(planned.id).root;
            run.seed = job.seed;
            run.planned = true;
            run.status.name = job.name;
            run.status.steps = job.train.steps;
            run.status.loss = run.status.val_loss = std::nan("");
            JobIdentity identity = headroom::identify(job);
            run.job = std::make_shared<const Job>(std::move(job));
            plan_.push_back({std::move(run), std::move(identity)});
        }
    } catch (const std::exception& error) {
        plan_problem_ = error.what();
    }
    return true;
}

bool StudyReader::read_study_labels() {
    if (!labels_file_.changed(StudyFolder{folder_}.labels())) return false;
    StudyLabels labels;
    std::string problem;
    try {
        labels = read_labels(folder_);
    } catch (const std::exception& error) {
        problem = error.what();
    }
    const bool same = labels == labels_ && problem == labels_problem_;
    labels_ = std::move(labels);
    labels_problem_ = std::move(problem);
    return !same;
}

/// Those that have no folder yet, for nobody has started the queue.
std::vector<const StudyReader::PlannedRun*> StudyReader::planned_runs() const {
    std::vector<const PlannedRun*> planned;
    for (const PlannedRun& run : plan_)
        if (!readers_.contains(run.run.id)) planned.push_back(&run);
    return planned;
}

std::vector<std::string> StudyReader::ids_in_order() const {
    std::vector<std::string> ids, others;
    std::set<std::string> planned;
    for (const PlannedRun& run : plan_) {
        ids.push_back(run.run.id);
        planned.insert(run.run.id);
    }
    for (const auto& [id, reader] : readers_)
        if (!planned.contains(id)) others.push_back(id);
    std::sort(others.begin(), others.end(),
              [](const auto& a, const auto& b) { return natural_less(a, b); });
    ids.insert(ids.end(), others.begin(), others.end());
    return ids;
}

/// Names all runs, begun and planned.
void StudyReader::identify() {
    std::map<std::string, const PlannedRun*> planned;
    for (const PlannedRun* run : planned_runs()) planned[run->run.id] = run;
    std::vector<NamedFolder> folders;
    std::vector<std::string> ids;
    const auto add = [&](const Run& run, const std::string& id, const JobIdentity& job) {
        const auto label = labels_.runs.find(id);
        folders.push_back({run.folder.string(),
                           label == labels_.runs.end() ? "" : label->second.name, job,
                           progress_of(run.status)});
        ids.push_back(id);
    };
    for (const std::string& id :
         ids_in_order()) {  // of runs that repeat one another the first counts
        if (const auto reader = readers_.find(id); reader != readers_.end())
            add(reader->second->run(), id, reader->second->identity());
        else if (const auto run = planned.find(id); run != planned.end())
            add(run->second->run, id, run->second->identity);
    }
    const std::vector<RunIdentity> identities = identify_runs(folders);
    names_.clear();
    for (size_t i = 0; i < ids.size(); ++i) {
        Run& run = names_[ids[i]];
        run.id = ids[i];
        run.name = identities[i].name;
        run.group = identities[i].group;
        run.variant = identities[i].variant;
        run.seed = identities[i].seed;
        run.shade = identities[i].shade;
        run.repeats = identities[i].repeats;
        if (const auto label = labels_.runs.find(ids[i]); label != labels_.runs.end())
            run.label = label->second;
        changed_.insert(ids[i]);
    }
    std::erase_if(runs_, [&](const auto& run) { return !names_.contains(run.first); });
    if (options_.colors) assign_stored_colors();
}

/// New groups are coloured in the order of the runs.
void StudyReader::assign_stored_colors() {
    const std::vector<std::string> order = ids_in_order();
    std::vector<ColoredRun> runs;
    for (const std::string& id : order)
        runs.push_back({names_.at(id).group, names_.at(id).label.color, 0});
    assign_colors(runs);
    for (size_t i = 0; i < order.size(); ++i) names_.at(order[i]).color = runs[i].color;
    const auto new_ones = std::any_of(names_.begin(), names_.end(), [](const auto& run) {
        return !run.second.label.color.has_value();
    });
    // A figure of some run folders does not make the folder around them a study.
    std::error_code ignored;
    const bool is_study = !options_.only || fs::exists(StudyFolder{folder_}.plan(), ignored) ||
                          fs::exists(StudyFolder{folder_}.labels(), ignored);
    if (new_ones && is_study && labels_problem_.empty()) store_colors();
}

/// So that whoever looks next, or draws a figure, gives every run the colour that it has here.
void StudyReader::store_colors() {
    try {
        change_labels(folder_, [&](StudyLabels& labels) {
            for (const auto& [id, run] : names_) {
                RunLabel& label = labels.runs[id];
                if (!label.color) label.color = run.color;
            }
        });
    } catch (const std::exception&) {
        // A study that cannot be written keeps its colours while it is open.
    }
}

void StudyReader::build_snapshot(const std::string& problem) {
    auto study = std::make_shared<StudySnapshot>();
    study->folder = folder_;
    study->name = plan_name_.empty() ? folder_.filename().string() : plan_name_;
    study->figures = plan_figures_;
    study->job = plan_job_;
    study->in_trash = in_trash_;
    study->problem = problem;
    study->labels_problem = labels_problem_;
    study->scheduler_alive = StudyLock::holder(folder_).has_value();
    const auto add = [&](const Run& read, const std::string& id) {
        RunPointer& kept = runs_[id];
        if (!kept || changed_.contains(id)) {
            auto run = std::make_shared<Run>(read);
            const Run& name = names_.at(id);
            run->id = id;
            run->name = name.name;
            run->group = name.group;
            run->variant = name.variant;
            run->color = name.color;
            run->shade = name.shade;
            run->repeats = name.repeats;
            run->label = name.label;
            kept = std::move(run);
        }
        study->runs.push_back(kept);
    };
    std::map<std::string, const Run*> planned;
    for (const PlannedRun* run : planned_runs()) planned[run->run.id] = &run->run;
    for (const std::string& id : ids_in_order()) {
        const auto reader = readers_.find(id);
        add(reader == readers_.end() ? *planned.at(id) : reader->second->run(), id);
        study->reading =
            study->reading || (reader != readers_.end() && reader->second->has_unread_rows());
    }
    if (!(flops_per_second_ > 0)) flops_per_second_ = training_rate(study->runs);
    study->flops_per_second = flops_per_second_;
    changed_.clear();
    latest_ = std::move(study);
}

}  // namespace headroom
