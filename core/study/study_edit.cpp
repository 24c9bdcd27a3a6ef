#include "core/study/study_edit.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/study/figure_options.h"
#include "core/study/folder_lock.h"
#include "core/study/job_changes.h"
#include "core/study/job_paths.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "core/study/sweep.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

/// The entry of "runs" called `id`, or null.
ordered_json* find_entry(ordered_json& list, const char* key, const std::string& id) {
    for (ordered_json& entry : list)
        if (entry.is_object() && entry.value(key, "") == id) return &entry;
    return nullptr;
}

ordered_json& list_under(ordered_json& document, const char* key) {
    if (!document.contains(key)) document[key] = ordered_json::array();
    return document[key];
}

bool is_same_variant(Job a, Job b, const fs::path& study_dir) {
    make_paths_absolute(a, study_dir);
    make_paths_absolute(b, study_dir);
    a.name = b.name;
    a.seed = b.seed;
    return is_same_job(std::move(a), b);
}

/// The runs of a document, wherever the folder with those that it does not list is: its figures
/// may name them.
std::vector<StudyRun> runs_listed_in(json document) {
    document.erase("figures");
    return parse_study(document, "study.json").runs;
}

/// An entry for `run` called `id`, its seeds still to be given. In a `document` with a sweep it
/// stands outside of that, in one with a budget it says its own steps.
ordered_json entry_of(const std::string& id, const StudyRun& run, const ordered_json& document,
                      const fs::path& study_dir) {
    ordered_json entry = {{"id", id}};
    if (document.contains("sweep")) entry["sweep"] = ordered_json::object();
    json changes =
        job_changes(json(document.value("job", ordered_json::object())), run.job, study_dir);
    if (document.contains("budget")) changes["train"]["steps"] = run.job.train.steps;
    if (run.job.name != run.variant && run.job.name != run.id) changes["name"] = run.job.name;
    if (!changes.empty()) entry["job"] = changes;
    return entry;
}

/// The runs of a document as they grow.
class RunList {
  public:
    RunList(ordered_json& document, fs::path study_dir)
        : document_(document),
          entries_(list_under(document, "runs")),
          study_dir_(std::move(study_dir)) {
        if (!entries_.empty()) runs_ = runs_listed_in(document);
    }

    bool has(const std::string& id) const { return find(id) != nullptr; }

    void add(const StudyRun& run) {
        if (const StudyRun* same = find(run.id)) {
            if (same->job.seed == run.job.seed && is_same_variant(same->job, run.job, study_dir_))
                return;
            throw UserError(
                fmt::format("the study has a run {} with another configuration", run.id),
                "give the new runs another name");
        }
        const bool same_jobs = std::all_of(runs_.begin(), runs_.end(), [&](const StudyRun& other) {
            return other.variant != run.variant || is_same_variant(other.job, run.job, study_dir_);
        });
        if (!same_jobs || !join_variant(run)) add_alone(run);
        runs_.push_back(run);
    }

    /// A run that was taken out: a seed of its variant again, whatever job that has by now.
    void put_back(const StudyRun& run) {
        if (has(run.id)) return;
        if (!join_variant(run)) add_alone(run);
        runs_.push_back(run);
    }

  private:
    const StudyRun* find(const std::string& id) const {
        const auto found = std::find_if(runs_.begin(), runs_.end(),
                                        [&](const StudyRun& run) { return run.id == id; });
        return found == runs_.end() ? nullptr : &*found;
    }

    void add_alone(const StudyRun& run) {
        entries_.push_back(entry_of(run.id, run, document_, study_dir_));
        entries_.back()["seed"] = run.job.seed;
    }

    /// As a further seed of its variant, or the first; false where their names are not those of
    /// seeds.
    bool join_variant(const StudyRun& run) {
        const auto is_named_by_seed = [&](const StudyRun& seed) {
            return seed.id == id_of_seed(run.variant, seed.job.seed);
        };
        if (!is_named_by_seed(run)) return false;
        std::vector<int64_t> seeds;
        for (const StudyRun& other : runs_) {
            if (other.variant != run.variant) continue;
            if (!is_named_by_seed(other)) return false;
            seeds.push_back(other.job.seed);
        }
        ordered_json* entry = find_entry(entries_, "id", run.variant);
        if (!entry) {
            entries_.push_back(entry_of(run.variant, run, document_, study_dir_));
            entry = &entries_.back();
            seeds.clear();  // those of a sweep stay where they are
        }
        seeds.push_back(run.job.seed);
        (*entry)["seeds"] = seeds;
        return true;
    }

    const ordered_json& document_;
    ordered_json& entries_;
    fs::path study_dir_;
    std::vector<StudyRun> runs_;
};

/// Lists a run that lies in the folder but not in the document, so that figures can name it.
void adopt_run(RunList& list, const fs::path& study_dir, const std::string& id) {
    list.add({id, id, load_run_job(RunFolder{study_dir / "runs" / id})});
}

/// A document for a folder that has runs, perhaps, but no study.json.
ordered_json first_document(const fs::path& study_dir) {
    ordered_json document = {{"schema", kStudySchema},
                             {"name", fs::absolute(study_dir).filename().string()}};
    RunList list(document, study_dir);
    for (const RunFolder& run : list_runs(study_dir)) {
        try {
            adopt_run(list, study_dir, run.root.filename().string());
        } catch (const UserError&) {
            continue;  // what cannot be read has no place in a plan
        }
    }
    return document;
}

void change_study(const fs::path& study_dir, const std::function<void(ordered_json&)>& change) {
    const FileDescriptor lock = lock_folder(study_dir);
    const fs::path file = study_dir / "study.json";
    const bool exists = fs::exists(file);
    ordered_json document = exists ? load_ordered_json(file) : first_document(study_dir);
    if (exists) parse_study(json(document), file.string());
    const ordered_json before = document;
    change(document);
    if (document.contains("runs") && document["runs"].empty()) document.erase("runs");
    if (exists && document == before) return;
    parse_study(json(document), file.string());
    write_file_atomically(file, dump_text(document, 2) + "\n");
}

/// Runs that were launched without being written down. Imported ones have no job to be listed with:
/// figures name them all the same.
void adopt_missing_runs(ordered_json& document, const fs::path& study_dir,
                        const std::vector<std::string>& ids) {
    RunList list(document, study_dir);
    for (const std::string& id : ids)
        if (const RunFolder run{study_dir / "runs" / id};
            !list.has(id) && fs::exists(run.job()) && !is_imported(run))
            adopt_run(list, study_dir, id);
}

/// `entry` of "runs" with the seeds that `kept` has of `variant`; null where it has none.
ordered_json with_kept_seeds(ordered_json entry, const std::string& variant,
                             const std::vector<StudyRun>& kept) {
    std::vector<int64_t> seeds;
    bool suffixed = false;
    for (const StudyRun& run : kept) {
        if (run.variant != variant) continue;
        seeds.push_back(run.job.seed);
        suffixed = run.id != run.variant;
    }
    if (seeds.empty()) return nullptr;
    if (suffixed) entry["seeds"] = seeds;
    return entry;
}

/// In place of "run:ENTRY" or "run:ENTRY@STEP" the point of an entry that has the same ones.
void name_point_of_source(json& job, const std::string& suffix,
                          const std::set<std::string>& alike) {
    constexpr std::string_view kRun = "run:";
    const json::json_pointer place("/train/init_from");
    if (!job.contains(place) || !job[place].is_string()) return;
    const auto source = job[place].get<std::string>();
    const std::string id = source.substr(0, source.find('@'));
    if (id.starts_with(kRun) && alike.contains(id.substr(kRun.size())))
        job[place] = id + suffix + source.substr(id.size());
}

/// Each point of a sweep as a run of its own, so that some of them can go.
/// What starts from an entry of `alike`, which have the same sweep, starts from that one's point.
std::vector<ordered_json> without_sweep(const ordered_json& entry, const ordered_json& sweep,
                                        const std::set<std::string>& alike) {
    std::vector<ordered_json> entries;
    for_each_point(json(sweep), "\"sweep\"", [&](const std::string& suffix, const json& changes) {
        ordered_json point = entry;
        point["id"] = entry.value("id", "") + suffix;
        json job = merged(json(entry.value("job", ordered_json::object())), changes);
        if (!job.contains("name")) job["name"] = entry.value("id", "");
        name_point_of_source(job, suffix, alike);
        point["job"] = job;
        point["sweep"] = ordered_json::object();
        entries.push_back(std::move(point));
    });
    return entries;
}

/// Leaves of every variant the seeds that `kept` has of it.
void keep_runs(ordered_json& document, const std::vector<StudyRun>& all,
               const std::vector<StudyRun>& kept) {
    const auto count = [](const std::vector<StudyRun>& runs, const std::string& entry) {
        return std::count_if(runs.begin(), runs.end(),
                             [&](const StudyRun& run) { return run.entry == entry; });
    };
    ordered_json& entries = list_under(document, "runs");
    const ordered_json old = entries;
    entries = ordered_json::array();
    const auto sweep_of = [&](const ordered_json& entry) {
        return entry.value("sweep", document.value("sweep", ordered_json::object()));
    };
    for (const ordered_json& entry : old) {
        const std::string id = entry.value("id", "");
        const ordered_json sweep = sweep_of(entry);
        if (count(kept, id) == count(all, id)) {
            entries.push_back(entry);
            continue;
        }
        std::set<std::string> alike;
        for (const ordered_json& other : old)
            if (sweep_of(other) == sweep) alike.insert(other.value("id", ""));
        const std::vector<ordered_json> points =
            sweep.empty() ? std::vector<ordered_json>{entry} : without_sweep(entry, sweep, alike);
        for (const ordered_json& point : points)
            if (ordered_json left = with_kept_seeds(point, point.value("id", ""), kept);
                !left.is_null())
                entries.push_back(std::move(left));
    }
}

/// Takes from pages the figures that are gone, and pages of fewer than two with them.
void keep_panels(ordered_json& figures) {
    const ordered_json all = figures;
    const auto is_gone = [&](const ordered_json& name) {
        return std::none_of(all.begin(), all.end(), [&](const ordered_json& figure) {
            return figure.value("name", ordered_json()) == name;
        });
    };
    for (size_t i = figures.size(); i-- > 0;) {
        if (!figures[i].contains("panels")) continue;
        ordered_json left = ordered_json::array();
        for (const ordered_json& name : figures[i]["panels"])
            if (!is_gone(name)) left.push_back(name);
        if (left.size() < 2)
            figures.erase(i);
        else
            figures[i]["panels"] = left;
    }
}

void keep_figures(ordered_json& document, const Study& study, const std::set<std::string>& gone) {
    if (!document.contains("figures")) return;
    ordered_json& entries = document["figures"];
    for (size_t i = study.figures.size(); i-- > 0;) {
        const StudyFigure& figure = study.figures[i];
        if (figure.all_runs || figure.recipe == kPanelsRecipe) continue;
        std::vector<std::string> runs;
        for (const std::string& id : figure.runs)
            if (!gone.contains(id)) runs.push_back(id);
        if (runs.size() == figure.runs.size()) continue;
        if (runs.empty())
            entries.erase(i);
        else
            entries[i]["runs"] = runs;
    }
    keep_panels(entries);
}

/// Claims about a variant that is gone go with it, and what was published of it.
void keep_claims(ordered_json& document, const Study& study, const std::vector<StudyRun>& kept) {
    const auto is_there = [&](const std::string& variant) {
        return std::any_of(kept.begin(), kept.end(),
                           [&](const StudyRun& run) { return run.variant == variant; });
    };
    for (size_t i = study.expect.size(); i-- > 0;)  // none without the key
        for (const ClaimStep& step : study.expect[i].steps)
            if (!is_there(step.left) || !is_there(step.right)) {
                document["expect"].erase(i);
                break;
            }
    if (!document.contains("published")) return;
    for (ordered_json& entry : document["published"])
        for (const StudyRun& run : study.runs)
            if (entry.contains("values") && !is_there(run.variant))
                entry["values"].erase(run.variant);
}

/// "true", "0.6" and "tokens" as they would stand in a file.
ordered_json plain_value(const std::string& text) {
    const json value = parse_json_or_null(text);
    if (value.is_boolean() || (value.is_number() && dump_text(value) == text)) return value;
    return text;
}

ordered_json entry_of(const StudyFigure& figure) {
    ordered_json entry = {{"name", figure.name}, {"recipe", figure.recipe}};
    if (figure.recipe == kPanelsRecipe)
        entry["panels"] = figure.panels;
    else if (!figure.all_runs)
        entry["runs"] = figure.runs;
    if (!figure.options.empty()) {
        entry["options"] = ordered_json::object();
        for (const auto& [key, value] : figure.options) entry["options"][key] = plain_value(value);
    }
    return entry;
}

void rename_panel(ordered_json& figures, const std::string& was, const std::string& name) {
    for (ordered_json& figure : figures)
        if (figure.contains("panels"))
            for (ordered_json& panel : figure["panels"])
                if (panel == was) panel = name;
}

void check_is_no_panel(const ordered_json& figures, const std::string& name) {
    for (const ordered_json& figure : figures)
        for (const ordered_json& panel : figure.value("panels", ordered_json::array()))
            if (panel == name)
                throw UserError(fmt::format("the figure {} is a panel of {}", name,
                                            figure.value("name", "another")),
                                "take it off that page first");
}

/// Where the entry called `name` of `before` belongs in `figures`: behind the nearest one that it
/// followed.
ordered_json::iterator place_of(const ordered_json& before, const std::string& name,
                                ordered_json& figures) {
    ordered_json::iterator place = figures.begin();
    for (const ordered_json& other : before) {
        const std::string other_name = other.value("name", "");
        if (other_name == name) break;
        for (auto it = figures.begin(); it != figures.end(); ++it)
            if (it->value("name", "") == other_name) place = it + 1;
    }
    return place;
}

/// The figures of `before` that `after` lacks, or has with fewer runs, unless somebody has made
/// others of these names since.
void put_figures_back(ordered_json& document, const ordered_json& before, ordered_json after) {
    if (!before.contains("figures")) return;
    ordered_json& figures = list_under(document, "figures");
    for (const ordered_json& figure : before["figures"]) {
        const std::string name = figure.value("name", "");
        ordered_json* left = find_entry(list_under(after, "figures"), "name", name);
        ordered_json* now = find_entry(figures, "name", name);
        if (now && left && *now == *left)
            *now = figure;
        else if (!now && !left)
            figures.insert(place_of(before["figures"], name, figures), figure);
    }
}

void put_back(ordered_json& document, const ordered_json& before, const ordered_json& after,
              const fs::path& study_dir) {
    std::set<std::string> left;
    for (const StudyRun& run : runs_listed_in(after)) left.insert(run.id);
    RunList list(document, study_dir);
    for (const StudyRun& run : runs_listed_in(before))
        if (!left.contains(run.id)) list.put_back(run);
    put_figures_back(document, before, after);
    for (const char* key : {"expect", "published"})
        if (before.contains(key) &&
            document.value(key, ordered_json()) == after.value(key, ordered_json()))
            document[key] = before[key];
}

}  // namespace

void restore_study(const fs::path& study_dir, const fs::path& before, const fs::path& after) {
    const fs::path file = study_dir / "study.json";
    {
        const FileDescriptor lock = lock_folder(study_dir);
        if (!fs::exists(file)) return;
        if (read_text(file) == read_text(after))
            return write_file_atomically(file, read_text(before));
    }
    change_study(study_dir, [&](ordered_json& document) {
        put_back(document, load_ordered_json(before), load_ordered_json(after), study_dir);
    });
}

void begin_study(const fs::path& study_dir) {
    make_folder(study_dir);
    change_study(study_dir, [](ordered_json&) {});
}

void add_runs(const fs::path& study_dir, const std::vector<StudyRun>& runs) {
    change_study(study_dir, [&](ordered_json& document) {
        RunList list(document, study_dir);
        for (const StudyRun& run : runs) list.add(run);
    });
}

void raise_steps(const fs::path& study_dir, const std::map<std::string, int64_t>& steps) {
    change_study(study_dir, [&](ordered_json& document) {
        const int64_t common = parse_job(document.value("job", json::object()), "job").train.steps;
        for (ordered_json& entry : list_under(document, "runs")) {
            const auto raised = steps.find(entry.value("id", ""));
            if (raised == steps.end()) continue;
            const ordered_json job = entry.value("job", ordered_json::object());
            const ordered_json train = job.value("train", ordered_json::object());
            if (train.value("steps", common) < raised->second)
                entry["job"]["train"]["steps"] = raised->second;
        }
    });
}

void remove_runs(const fs::path& study_dir, const std::vector<std::string>& ids) {
    if (!fs::exists(study_dir / "study.json")) return;
    change_study(study_dir, [&](ordered_json& document) {
        const Study study = parse_study(json(document), (study_dir / "study.json").string());
        const std::set<std::string> gone(ids.begin(), ids.end());  // imported ones are not listed
        std::vector<StudyRun> kept;
        for (const StudyRun& run : study.runs)
            if (!gone.contains(run.id)) kept.push_back(run);
        keep_figures(document, study, gone);
        keep_claims(document, study, kept);
        keep_runs(document, study.runs, kept);
    });
}

void put_figure(const fs::path& study_dir, const StudyFigure& figure, const std::string& was,
                std::optional<size_t> place) {
    change_study(study_dir, [&](ordered_json& document) {
        if (!figure.all_runs && figure.panels.empty())
            adopt_missing_runs(document, study_dir, figure.runs);
        ordered_json& list = list_under(document, "figures");
        ordered_json* old = was.empty() ? nullptr : find_entry(list, "name", was);
        if (!old && !was.empty()) old = find_entry(list, "name", figure.name);  // renamed just now
        if (old)
            *old = entry_of(figure);
        else
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(
                                           std::min(place.value_or(list.size()), list.size())),
                        entry_of(figure));
        if (!was.empty()) rename_panel(list, was, figure.name);
    });
}

void move_figure(const fs::path& study_dir, const std::string& name, size_t place) {
    change_study(study_dir, [&](ordered_json& document) {
        ordered_json& list = list_under(document, "figures");
        const ordered_json* found = find_entry(list, "name", name);
        if (!found) return;
        const auto from = list.begin() + (found - &list.front());
        const auto to =
            list.begin() + static_cast<std::ptrdiff_t>(std::min(place, list.size() - 1));
        if (from < to)
            std::rotate(from, from + 1, to + 1);
        else
            std::rotate(to, from, from + 1);
    });
}

void remove_figure(const fs::path& study_dir, const std::string& name) {
    change_study(study_dir, [&](ordered_json& document) {
        ordered_json& list = list_under(document, "figures");
        check_is_no_panel(list, name);
        for (size_t i = 0; i < list.size(); ++i)
            if (list[i].is_object() && list[i].value("name", "") == name) {
                list.erase(i);
                return;
            }
    });
}

}  // namespace headroom
