#include "panels/launch/launch_form.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/key_error.h"
#include "core/config/architectures.h"
#include "core/config/job_json.h"
#include "core/config/job_keys.h"
#include "core/config/learning_rate.h"
#include "core/config/presets.h"
#include "core/config/set_key.h"
#include "panels/base/number_format.h"
#include "panels/launch/launch_base.h"
#include "panels/launch/launch_match.h"
#include "panels/launch/launch_probes.h"
#include "panels/launch/launch_runs.h"
#include "panels/launch/value_lists.h"
#include "panels/study/job_difference.h"

namespace headroom {

namespace {

using nlohmann::json;

/// Keys that the form has widgets of their own for, or that mean nothing in it.
bool is_in_form(const Field& field) {
    static const std::set<std::string> kElsewhere{"name", "seed", "probes", "model.preset",
                                                  "model.arch"};
    return !kElsewhere.contains(field.path);
}

void erase_value(json& document, const std::string& path) {
    const Field* field = find_field(path);
    if (field == nullptr) return;
    (field->section().empty() ? document : document[field->section()]).erase(field->key());
}

/// The first of the changed keys that take part in the mistake, or "".
std::string key_to_mend(const KeyError& error, const std::map<std::string, std::string>& values) {
    for (const std::string& key : error.keys())
        if (values.contains(key)) return key;
    return "";
}

/// What the reader says of one variant with the form's values. A value that it refuses is noted
/// beside its field and taken out, so that the next one is found too.
struct VariantOutcome {
    std::optional<Job> job;
    std::string refused;  ///< concerns no value of the form
};

VariantOutcome read_variant(json document, const std::string& arch,
                            const std::map<std::string, std::string>& values,
                            std::map<std::string, std::string>& errors) {
    document["model"]["arch"] = arch;
    VariantOutcome outcome;
    std::set<std::string> taken_out;
    for (size_t attempt = 0; attempt <= values.size(); ++attempt) {
        try {
            outcome.job = parse_job(document, "");
            return outcome;
        } catch (const KeyError& error) {
            const std::string path = key_to_mend(error, values);
            if (path.empty() || !taken_out.insert(path).second) {
                outcome.refused = error.what();
                return outcome;
            }
            errors.emplace(path, error.what());  // another variant may have met it
            erase_value(document, path);
        } catch (const UserError& error) {
            outcome.refused = error.what();
            return outcome;
        }
    }
    return outcome;
}

std::string hint_of(const Field& field) {
    std::string hint = field.help;
    if (const std::string range = range_text(field); !range.empty())
        hint += fmt::format("\n{}", range);
    if (!field.unit.empty() && field.type != FieldType::kChoice)
        hint += fmt::format(" {}", field.unit);
    if (!field.default_text.empty()) hint += fmt::format("\nDefault: {}", field.default_text);
    return fmt::format("{}\n{}", hint, field.path);
}

std::vector<LaunchSection> build_sections(const LaunchInput& input,
                                          const std::vector<LaunchVariant>& variants,
                                          const std::map<std::string, std::string>& errors) {
    std::vector<LaunchSection> sections;
    const json first = variants.empty() ? json::object() : to_json(variants.front().job);
    for (const Field& field : job_schema()) {
        if (!is_in_form(field)) continue;
        LaunchField entry;
        entry.field = &field;
        entry.label = field.key();
        entry.hint = hint_of(field);
        const auto typed = input.values.find(field.path);
        entry.changed = typed != input.values.end();
        if (entry.changed) {
            entry.value = typed->second;
        } else if (const json* value = find_value(first, field)) {
            entry.value = form_text(*value);
        }
        if (const auto error = errors.find(field.path); error != errors.end())
            entry.error = error->second;
        entry.relevant = entry.changed || variants.empty() ||
                         std::any_of(variants.begin(), variants.end(), [&](const auto& variant) {
                             return is_active(field, variant.job);
                         });
        if (field.path == "model.vocab_size" && entry.value == "0") entry.value = "from the data";
        const auto section = std::find_if(sections.begin(), sections.end(),
                                          [&](const auto& s) { return s.title == field.group; });
        if (section != sections.end()) {
            section->fields.push_back(std::move(entry));
        } else {
            sections.push_back({field.group, {std::move(entry)}});
        }
    }
    return sections;
}

/// A point with what matching gave to this variant alone.
GridPoint with_sizes(GridPoint point, const LaunchInput& input, const std::string& arch) {
    const auto own = input.sizes.find(arch);
    if (own == input.sizes.end()) return point;
    for (const auto& [path, text] : own->second) point.values[path] = text;
    return point;
}

json with_values(json document, const std::map<std::string, std::string>& values,
                 std::map<std::string, std::string>& errors) {
    for (const auto& [path, text] : values) {
        try {
            apply_set(document, path + "=" + text);
        } catch (const UserError& error) {
            errors[path] = error.what();
        }
    }
    return document;
}

/// The form's document below the values of a point of its lists.
json document_of(const LaunchInput& input, const LaunchPlace& place, std::string& preset_error,
                 std::string& probes_error) {
    json document = base_document(input, place);
    try {
        set_probes(document, input);
    } catch (const UserError& error) {
        probes_error = error.what();
    }
    if (input.preset != kStudySizes && find_preset(input.preset) == nullptr) {
        preset_error =
            fmt::format("model.preset = \"{}\" is not known; choose another", input.preset);
        document["model"].erase("preset");
    }
    return document;
}

/// Every combination of the form's lists; the text itself, with an error, where a list is none.
std::vector<GridPoint> points_of(const LaunchInput& input,
                                 std::map<std::string, std::string>& errors) {
    try {
        return grid_points(input.values);
    } catch (const KeyError& error) {
        GridPoint point{input.values, {}};
        for (const std::string& path : error.keys()) {
            errors[path] = error.what();
            point.values.erase(path);
        }
        return {point};
    }
}

void note_data(const LaunchPlace& place, LaunchView& view,
               std::map<std::string, std::string>& errors) {
    if (!place.data) {
        view.data_note = "Looking at the data …";
        return;
    }
    view.data_note = place.data->description;
    if (place.data->error.empty()) return;
    const std::string& path = place.data->error_key;
    if (!errors.contains(path)) errors[path] = place.data->error;
}

void add_warning(LaunchView& view, const std::string& text) {
    if (view.warning.find(text) != std::string::npos) return;
    view.warning += (view.warning.empty() ? "" : "\n") + text;
}

/// Variants of two families, beside each other or beside what the study trains itself, differ in
/// more than what they are named after, unless each family has its own baseline among them.
void note_bases(const std::vector<LaunchVariant>& variants, const LaunchPlace& place,
                LaunchView& view) {
    std::map<std::string, std::vector<std::string>> archs;
    std::set<std::string> baselines;
    const LaunchInput own = own_input(place);
    std::map<std::string, std::string> ignored;
    for (const std::string& arch : own.variants) {
        if (place.runs.empty()) break;
        const VariantOutcome trained = read_variant(base_document(own, place), arch, {}, ignored);
        if (!trained.job) continue;
        archs[trained.job->model.base].push_back("the study's " + find_architecture(arch)->title);
        if (arch == trained.job->model.base) baselines.insert(arch);
    }
    for (const LaunchVariant& variant : variants) {
        std::vector<std::string>& of_base = archs[variant.job.model.base];
        if (variant.arch == variant.job.model.base) baselines.insert(variant.arch);
        const std::string title = find_architecture(variant.arch)->title;
        if (std::find(of_base.begin(), of_base.end(), title) == of_base.end())
            of_base.push_back(title);
    }
    if (archs.size() < 2 || baselines.size() == archs.size()) return;
    std::vector<std::string> texts;
    for (const auto& [base, titles] : archs)
        texts.push_back(fmt::format("{} on {}", fmt::join(titles, ", "), base));
    add_warning(view, fmt::format("{}: {}. Set model.base to compare on one.",
                                  fmt::join(texts, "; "), kOtherBaseDiffers));
}

/// What the memory of the planned runs asks for: a message that refuses, or one that warns.
void note_memory(const LaunchPlace& place, LaunchView& view) {
    int64_t largest = 0;
    const std::string* seen = nullptr;  // the seeds of a variant follow each other
    for (const LaunchRun& run : view.runs) {
        if (seen != nullptr && *seen == run.memory_key) continue;
        seen = &run.memory_key;
        const auto facts = place.memory.find(run.memory_key);
        if (facts == place.memory.end()) continue;
        if (!facts->second.error.empty() && view.other_error.empty())
            view.other_error = facts->second.error;
        largest = std::max(largest, facts->second.memory.total());
    }
    if (place.machine_bytes > 0 && largest > place.machine_bytes)
        add_warning(view, fmt::format("A run needs {} of memory; this machine has {}",
                                      format_bytes(largest), format_bytes(place.machine_bytes)));
}

/// What the study, or the preset alone, would train in place of the form's values.
json unchanged_job(const LaunchInput& input, const LaunchPlace& place) {
    LaunchInput unchanged = input;
    unchanged.values.clear();
    json document = base_document(unchanged, place);
    if (!input.variants.empty()) document["model"]["arch"] = input.variants.front();
    try {
        return to_json(parse_job(document, ""));
    } catch (const UserError&) {
        return json::object();
    }
}

/// Values that the study has anyway are no changes.
std::vector<LaunchChange> changes_of(const LaunchInput& input, const LaunchPlace& place) {
    const std::string owner = place.study_job.empty() ? "preset" : "study";
    std::vector<LaunchChange> changes;
    if (const std::string own = own_input(place).preset;
        !place.study_job.empty() && own != input.preset)
        changes.push_back(
            {"model.preset", fmt::format("preset = {} (study: {})", input.preset, own)});
    const json before = unchanged_job(input, place);
    for (const auto& [path, text] : input.values) {
        const Field* field = find_field(path);
        const json* value = field == nullptr ? nullptr : find_value(before, *field);
        const std::string usual = value == nullptr ? "" : form_text(*value);
        if (!usual.empty() && usual == text) continue;
        const std::string note = usual.empty() ? "" : fmt::format(" ({}: {})", owner, usual);
        changes.push_back({path, fmt::format("{} = {}{}", path, text, note)});
    }
    if (const std::string probes = probe_change(input, place); !probes.empty())
        changes.push_back({"probes", probes});
    for (const auto& [arch, values] : input.sizes) {
        const ArchitecturePreset* preset = find_architecture(arch);
        std::string text = fmt::format("{} is matched:", preset ? preset->title : arch);
        for (const auto& [path, value] : values) text += fmt::format(" {} = {}", path, value);
        changes.push_back({kSizesOf + arch, std::move(text)});
    }
    return changes;
}

/// Whether both would do the very same steps.
bool same_training(const Job& a, const Job& b) {
    if (a.seed != b.seed || a.train.steps != b.train.steps || !same_rates(a.train, b.train) ||
        !(a.model == b.model))
        return false;
    const auto differences = key_differences(a, b);
    return std::all_of(differences.begin(), differences.end(),
                       [](const KeyDifference& key) { return key.field->resumable; });
}

/// The same job and seed would count as another seed in every mean.
std::string refuse_repeats(const LaunchPlace& place, const std::vector<LaunchRun>& runs) {
    for (const LaunchRun& run : runs) {
        const std::optional<Job> planned = planned_job(run, place);
        for (const auto& [id, job] : place.runs)
            if (job && (same_training(run.job, *job) || (planned && same_training(*planned, *job))))
                return fmt::format(
                    "{} with seed {} is there already as run {}; choose another seed", run.variant,
                    run.seed, id);
    }
    return "";
}

/// Whether a run trained what is planned, its own vocabulary put where the plan has none yet.
bool has_trained(const Job& run, Job planned) {
    planned.seed = run.seed;
    if (planned.model.vocab_size == 0) planned.model.vocab_size = run.model.vocab_size;
    return same_training(planned, run);
}

void list_problems(const std::map<std::string, std::string>& errors, LaunchView& view) {
    if (!view.other_error.empty()) view.problems.push_back({"", view.other_error});
    if (!view.variants_error.empty()) view.problems.push_back({"variants", view.variants_error});
    if (!view.seeds_error.empty()) view.problems.push_back({"seeds", view.seeds_error});
    if (!view.probes_error.empty()) view.problems.push_back({"probes", view.probes_error});
    for (const auto& [path, text] : errors) view.problems.push_back({path, text});
}

}  // namespace

namespace {

/// Ids and seeds of the runs that have trained what a form's variants train.
std::vector<std::pair<std::string, int64_t>> trained_runs(const LaunchInput& input,
                                                          const LaunchPlace& place) {
    std::vector<std::pair<std::string, int64_t>> runs;
    std::map<std::string, std::string> errors;
    for (const std::string& variant : input.variants) {
        const VariantOutcome planned =
            read_variant(base_document(input, place), variant, {}, errors);
        for (const auto& [id, job] : place.runs)
            if (job && planned.job && has_trained(*job, *planned.job))
                runs.emplace_back(id, job->seed);
    }
    return runs;
}

std::set<int64_t> seeds_of(const std::vector<std::pair<std::string, int64_t>>& runs) {
    std::set<int64_t> seeds;
    for (const auto& [id, seed] : runs) seeds.insert(seed);
    return seeds;
}

}  // namespace

std::string own_run(const LaunchPlace& place) {
    const auto runs = trained_runs(own_input(place), place);
    return runs.empty() ? "" : runs.front().first;
}

std::string proposed_seeds(const LaunchInput& input, const LaunchPlace& place) {
    const std::set<int64_t> taken = seeds_of(trained_runs(input, place));
    const std::set<int64_t> partners = seeds_of(trained_runs(own_input(place), place));
    if (taken.empty() && !input.variants.empty() && !partners.empty())
        return fmt::format("{}", fmt::join(partners, ", "));
    int64_t seed = 1;
    while (taken.contains(seed)) ++seed;
    return fmt::format("{}", seed);
}

static void offer_presets(const LaunchInput& input, const LaunchPlace& place, LaunchView& view) {
    if (has_own_sizes(place)) view.presets.push_back({kStudySizes, "The sizes of the study", ""});
    for (const Preset& preset : presets()) {
        const std::string help = fmt::format("{}; {}", preset.help, preset.source);
        view.presets.push_back({preset.name, help, preset.group});
        if (preset.name == input.preset) view.preset_help = help;
    }
}

/// All architectures, and for those that are chosen their jobs at every point of the grid. Keys
/// that one of these refuses go to `errors`.
static std::vector<LaunchVariant> offer_variants(const LaunchInput& input, const json& document,
                                                 std::map<std::string, std::string>& errors,
                                                 LaunchView& view) {
    const std::vector<GridPoint> points = points_of(input, errors);
    std::vector<LaunchVariant> variants;
    for (const ArchitecturePreset& preset : architecture_presets()) {
        const std::string& arch = preset.name;
        VariantChoice choice{arch, preset.title, preset.help, false, ""};
        if (preset.base != ArchitecturePreset{}.base)
            choice.help += fmt::format("; built on {} where model.base says nothing", preset.base);
        choice.chosen = std::count(input.variants.begin(), input.variants.end(), arch) > 0;
        std::map<std::string, std::string> ignored = errors;
        for (size_t i = 0; i < (choice.chosen ? points.size() : 1); ++i) {
            const GridPoint own = with_sizes(points[i], input, arch);
            const VariantOutcome outcome =
                read_variant(with_values(document, own.values, errors), arch, own.values,
                             choice.chosen ? errors : ignored);
            if (choice.refused.empty()) choice.refused = outcome.refused;
            if (choice.chosen && outcome.job)
                variants.push_back({arch, *outcome.job, points[i].listed});
        }
        if (choice.chosen && view.variants_error.empty()) view.variants_error = choice.refused;
        view.variants.push_back(std::move(choice));
    }
    return variants;
}

LaunchView build_launch(const LaunchInput& input, const LaunchPlace& place) {
    LaunchView view;
    std::map<std::string, std::string> errors;
    offer_presets(input, place, view);
    view.baselines = match_baselines(place);
    view.usual_baseline = usual_match_baseline(input, place);
    const json document = document_of(input, place, view.other_error, view.probes_error);
    view.probes = probe_choices(input, place);
    const std::vector<LaunchVariant> variants = offer_variants(input, document, errors, view);
    if (input.variants.empty()) view.variants_error = "Choose at least one variant";

    std::vector<int64_t> seeds;
    try {
        seeds = parse_seeds(input.seeds);
    } catch (const UserError& error) {
        view.seeds_error = error.what();
    }
    note_data(place, view, errors);
    view.sections = build_sections(input, variants, errors);
    view.runs = plan_runs(variants, seeds, input.name, place);
    view.cost = cost_text(view.runs);
    for (const LaunchVariant& variant : variants)
        for (const std::string& ignored : ignored_keys(variant.job)) add_warning(view, ignored);
    note_bases(variants, place, view);
    note_memory(place, view);
    if (view.seeds_error.empty()) view.seeds_error = refuse_repeats(place, view.runs);
    if (view.seeds_error.empty() && seeds.size() == 1 && seeds.front() > 1)
        view.seeds_note = fmt::format("seed {0} alone; 1-{0} means {0} seeds", seeds.front());
    view.changes = changes_of(input, place);
    list_problems(errors, view);
    // A variant whose keys contradict each other has no job: the others alone are not what is
    // asked.
    view.counts_hold = errors.empty();
    if (!view.counts_hold) view.cost.clear();
    view.can_launch = view.problems.empty() && !view.runs.empty() && place.data.has_value();
    view.button = !errors.empty()         ? "Queue runs"
                  : view.runs.size() == 1 ? "Queue 1 run"
                                          : fmt::format("Queue {} runs", view.runs.size());
    return view;
}

const LaunchField* find_field(const LaunchView& view, const std::string& path) {
    for (const LaunchSection& section : view.sections)
        for (const LaunchField& field : section.fields)
            if (field.field->path == path) return &field;
    return nullptr;
}

}  // namespace headroom
