#include "core/study/study.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_numbers.h"
#include "core/base/json_text.h"
#include "core/base/name_char.h"
#include "core/base/nearest.h"
#include "core/base/printable.h"
#include "core/config/job_json.h"
#include "core/study/figure_options.h"
#include "core/study/figure_panels.h"
#include "core/study/known_keys.h"
#include "core/study/measure.h"
#include "core/study/run_budget.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "core/study/run_reference.h"
#include "core/study/study_folder.h"
#include "core/study/sweep.h"
#include "core/study/wiring_search.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr size_t kMostRuns = 4096;

/// The list under `key`, or an empty one.
json list_of(const json& object, const char* key) {
    if (!object.contains(key)) return json::array();
    if (!object.at(key).is_array())
        throw UserError(fmt::format("\"{}\" = {} is not a list", key, shown(object.at(key))),
                        "write [ ... ]");
    return object.at(key);
}

std::string text_of(const json& object, const char* key, const std::string& place) {
    if (!object.contains(key))
        throw UserError(fmt::format("{} has no \"{}\"", place, key), "give it one");
    if (!object.at(key).is_string())
        throw UserError(
            fmt::format("{}: \"{}\" = {} is not text", place, key, shown(object.at(key))),
            "put it in quotes");
    return object.at(key).get<std::string>();
}

/// Names stand in legends, tables and error lines.
void require_printable(const std::string& name, const std::string& place) {
    if (printable(name) != name)
        throw UserError(fmt::format("{} = {} has control characters", place, shown(name)),
                        "use letters, digits, blanks and signs");
}

std::string file_name_of(const json& object, const char* key, const std::string& place) {
    std::string text = text_of(object, key, place);
    if (!names_a_file(text))
        throw UserError(fmt::format("{}: \"{}\" = {} cannot name a file", place, key, shown(text)),
                        "use letters, digits, - and _");
    return text;
}

/// The whole numbers under "seeds", each once.
std::vector<int64_t> read_seeds(const json& object, const std::string& place) {
    std::vector<int64_t> seeds;
    for (const json& seed : list_of(object, "seeds")) {
        const bool whole = seed.is_number_integer() && seed.get<int64_t>() >= 0;
        if (!whole)
            throw UserError(fmt::format("{} has {}, which is no seed", place, shown(seed)),
                            "give whole numbers from 0 on");
        if (std::find(seeds.begin(), seeds.end(), seed.get<int64_t>()) != seeds.end())
            throw UserError(fmt::format("{} has {} twice", place, shown(seed)), "keep one");
        seeds.push_back(seed.get<int64_t>());
    }
    if (seeds.empty())
        throw UserError(fmt::format("{} is empty", place), "give at least one, such as [1]");
    return seeds;
}

std::vector<int64_t> seeds_of(const json& document, const json& common) {
    if (!document.contains("seeds")) {
        const Job job = parse_job(common, "job");
        return {job.seed};
    }
    if (common.contains("seed"))
        throw UserError("\"seeds\" and job.seed are both given", "keep \"seeds\"");
    return read_seeds(document, "\"seeds\"");
}

/// A run as the file has it: at a point of its grid, for every seed.
struct Variant {
    std::string entry;   ///< "id"
    std::string suffix;  ///< of the point, "" without a sweep
    json changes;        ///< to the common job
    std::vector<int64_t> seeds;
    bool suffixed = false;  ///< its runs are called ID-sN
    int64_t priority = 0;
    json budget{};  ///< how long it trains, null where its steps say that

    std::string id() const { return entry + suffix; }
};

/// One variant with one seed.
StudyRun expand(const json& common, const Variant& variant, int64_t seed) {
    const json& changes = variant.changes;
    const std::string place = fmt::format("run \"{}\"", variant.id());
    if (changes.is_object() && changes.contains("seed"))
        throw UserError(place + " has a seed of its own",
                        "list it under \"seeds\", of the study or of the run");
    const std::string suffix = variant.suffixed ? id_of_seed("", seed) : "";
    if (const std::string id = variant.id() + suffix; !names_a_file(id, kLongestRunFolder))
        throw UserError(fmt::format("{}: {} has {} characters, and a folder's name {} at most",
                                    place, id, id.size(), kLongestRunFolder),
                        "give it a shorter id");
    json document = merged(common, changes);
    if (document.is_object()) {
        const json name = changes.is_object() ? changes.value("name", json()) : json();
        document["name"] = name.is_string() ? json(name.get<std::string>() + suffix)
                           : name.is_null() ? json(variant.entry + suffix)
                                            : name;
        document["seed"] = seed;
    }
    if (!variant.budget.is_null()) apply_budget(variant.budget, document, place);
    StudyRun planned{variant.id() + suffix, variant.id(), parse_job(document, place), variant.entry,
                     variant.priority};
    require_printable(planned.job.name, place + ": job.name");
    return planned;
}

int64_t priority_of(const json& entry, const std::string& place) {
    constexpr int64_t kMost = 1000;
    const json value = entry.value("priority", json(0));
    const std::optional<int64_t> priority = whole_number(value);
    if (!priority || *priority < -kMost || *priority > kMost)
        throw UserError(fmt::format("{}: \"priority\" = {} is no whole number from {} to {}", place,
                                    shown(value), -kMost, kMost),
                        "runs of a higher one are trained first; all have 0 unless told otherwise");
    return *priority;
}

/// One entry with its own "seed" or "seeds", or else the study's.
Variant variant_of(const json& entry, const std::vector<int64_t>& seeds, const std::string& place) {
    check_keys(entry, place, {"id", "seed", "seeds", "job", "sweep", "priority", "budget"});
    Variant variant{file_name_of(entry, "id", place), "", entry.value("job", json::object()), seeds,
                    seeds.size() > 1};
    if (entry.contains("seed") && entry.contains("seeds"))
        throw UserError(place + " has both \"seed\" and \"seeds\"", "keep one");
    if (entry.contains("seed")) {
        variant.seeds = read_seeds({{"seeds", {entry.at("seed")}}}, place + ".seed");
        variant.suffixed = false;
    } else if (entry.contains("seeds")) {
        variant.seeds = read_seeds(entry, place + ".seeds");
        variant.suffixed = true;
    }
    variant.priority = priority_of(entry, place);
    variant.budget = entry.value("budget", json());
    return variant;
}

/// The budget of a variant: its own, or the study's where it does not say its steps.
json budget_of(const Variant& variant, const json& common) {
    const bool says = says_steps(variant.changes);
    if (!variant.budget.is_null() && says)
        throw UserError(fmt::format("run \"{}\" has both a budget and train.steps", variant.id()),
                        "keep one");
    return variant.budget.is_null() && !says ? common : variant.budget;
}

/// Every entry at every point of its own sweep, or else of the study's.
std::vector<Variant> variants_of(const json& list, const json& document,
                                 const std::vector<int64_t>& seeds) {
    const json sweep = document.value("sweep", json::object());
    std::vector<Variant> variants;
    size_t count = 0;
    for (size_t i = 0; i < list.size(); ++i) {
        const std::string place = fmt::format("runs[{}]", i);
        const Variant plain = variant_of(list[i], seeds, place);
        const bool own = list[i].contains("sweep");
        for_each_point(own ? list[i].at("sweep") : sweep, plain.entry,
                       own ? place + ".sweep" : "\"sweep\"",
                       [&](const std::string& suffix, const json& changes) {
                           Variant variant = plain;
                           variant.suffix = suffix;
                           if (!changes.empty()) variant.changes = merged(variant.changes, changes);
                           variant.budget = budget_of(variant, document.value("budget", json()));
                           count += variant.seeds.size();
                           if (count <= kMostRuns) variants.push_back(std::move(variant));
                       });
    }
    if (count > kMostRuns)
        throw UserError(fmt::format("{} runs with their sweeps and seeds make {} in all, which are "
                                    "too many",
                                    list.size(), count),
                        fmt::format("stay within {} in all", kMostRuns));
    return variants;
}

/// All seeds: the study's, then those that single runs add, in the order of the file.
std::vector<int64_t> all_seeds(std::vector<int64_t> seeds, const std::vector<Variant>& variants) {
    for (const Variant& variant : variants)
        for (const int64_t seed : variant.seeds)
            if (std::find(seeds.begin(), seeds.end(), seed) == seeds.end()) seeds.push_back(seed);
    return seeds;
}

std::vector<StudyRun> runs_of(const json& document, const json& common,
                              const std::vector<int64_t>& seeds) {
    if (!document.contains("runs")) return {};  // none yet
    const json list = list_of(document, "runs");
    if (list.empty())
        throw UserError("the study has no \"runs\"",
                        "give at least one, or leave the key out until there are some");
    const std::vector<Variant> variants = variants_of(list, document, seeds);
    std::vector<StudyRun> runs;
    std::set<std::string> ids;
    for (const int64_t seed : all_seeds(seeds, variants))
        for (const Variant& variant : variants) {
            const std::vector<int64_t>& own = variant.seeds;
            if (std::find(own.begin(), own.end(), seed) == own.end()) continue;
            runs.push_back(expand(common, variant, seed));
            if (!ids.insert(runs.back().id).second)
                throw UserError(fmt::format("two runs would be called \"{}\"", runs.back().id),
                                "give every run its own id");
        }
    resolve_run_references(runs);
    return runs;
}

/// Of another tool's log: it has no job that "runs" could list.
bool names_imported(const json& entry, const std::filesystem::path& folder) {
    if (!entry.is_string() || !names_a_file(entry.get<std::string>())) return false;
    return is_imported(StudyFolder{folder}.run(entry.get<std::string>()));
}

/// The runs that a figure names: a variant stands for all its seeds; no list stands for all runs.
/// Runs that were imported into the study's folder are named as those of "runs" are.
std::vector<std::string> figure_runs(const json& figure, const std::vector<StudyRun>& runs,
                                     const std::string& place,
                                     const std::filesystem::path& folder) {
    std::vector<std::string> ids;
    if (!figure.contains("runs")) {
        for (const StudyRun& run : with_seeds_together(runs)) ids.push_back(run.id);
        return ids;
    }
    for (const json& entry : list_of(figure, "runs")) {
        const size_t before = ids.size();
        std::vector<std::string> known;
        for (const StudyRun& run : runs) {
            if (entry == run.id || entry == run.variant || entry == run.entry)
                ids.push_back(run.id);
            known.push_back(run.variant);
        }
        if (ids.size() == before && names_imported(entry, folder))
            ids.push_back(entry.get<std::string>());
        if (ids.size() == before)
            throw UserError(fmt::format(
                "{} names the run {}, which the study has not{}", place, shown(entry),
                suggestion(entry.is_string() ? entry.get<std::string>() : shown(entry), known)));
    }
    return ids;
}

std::vector<std::string> variants_in(const std::vector<StudyRun>& runs) {
    std::vector<std::string> variants;
    for (const StudyRun& run : runs)
        if (std::find(variants.begin(), variants.end(), run.variant) == variants.end())
            variants.push_back(run.variant);
    return variants;
}

/// Before anything is trained for the figure.
void check_size(const std::string& place, const std::string& key, const std::string& text) {
    const std::string option = fmt::format("{}: the option \"{}\"", place, key);
    double inches = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), inches);
    if (error != std::errc() || end != text.data() + text.size())
        throw UserError(fmt::format("{} = {} is no number", option, shown(json(text))),
                        "give inches");
    check_figure_inches(option, inches);
}

std::map<std::string, std::string> figure_options(const json& figure, const std::string& recipe,
                                                  const std::string& place) {
    std::map<std::string, std::string> options;
    const std::vector<std::string> known = study_figure_options(recipe);
    if (!figure.contains("options")) return options;
    if (!figure.at("options").is_object())
        throw UserError(fmt::format("{}: \"options\" is not an object", place), "write { ... }");
    for (const auto& [key, value] : figure.at("options").items()) {
        if (std::find(known.begin(), known.end(), key) == known.end())
            throw UserError(fmt::format("{}: {} is no option of the recipe {} in a study{}", place,
                                        shown(key), recipe, suggestion(key, known)));
        if (value.is_structured() || value.is_null())
            throw UserError(fmt::format("{}: the option {} = {} is no plain value", place,
                                        shown(key), shown(value)),
                            "give text, a number, true or false");
        options[key] = value.is_string() ? value.get<std::string>() : value.dump();
        if (key == "width" || key == "height") check_size(place, key, options[key]);
    }
    return options;
}

std::vector<std::string> panel_names(const json& figure, const std::string& place) {
    std::vector<std::string> names;
    for (const json& name : list_of(figure, "panels")) {
        if (!name.is_string())
            throw UserError(fmt::format("{} names the panel {}", place, shown(name)),
                            "give the names of other figures");
        names.push_back(name.get<std::string>());
    }
    return names;
}

std::vector<StudyFigure> figures_of(const json& document, const std::vector<StudyRun>& runs,
                                    const std::filesystem::path& folder) {
    const std::vector<std::string>& recipes = study_recipes();
    std::vector<StudyFigure> figures;
    const json list = list_of(document, "figures");
    for (size_t i = 0; i < list.size(); ++i) {
        const std::string place = fmt::format("figures[{}]", i);
        check_keys(list[i], place, {"name", "recipe", "runs", "panels", "options"});
        const std::string recipe = text_of(list[i], "recipe", place);
        const bool page = recipe == kPanelsRecipe;
        if (list[i].contains(page ? "runs" : "panels"))
            throw UserError(
                fmt::format("{}: \"{}\" does not go with the recipe {}", place,
                            page ? "runs" : "panels", recipe),
                page ? "leave it out: the panels have theirs" : "give it the recipe panels");
        if (std::find(recipes.begin(), recipes.end(), recipe) == recipes.end())
            throw UserError(fmt::format("{}: the recipe {} is not known{}", place, shown(recipe),
                                        suggestion(recipe, recipes)));
        StudyFigure figure{
            file_name_of(list[i], "name", place),
            recipe,
            page ? std::vector<std::string>{} : figure_runs(list[i], runs, place, folder),
            figure_options(list[i], recipe, place),
            !page && !list[i].contains("runs"),
            panel_names(list[i], place)};
        for (const StudyFigure& other : figures)
            if (other.name == figure.name)
                throw UserError(fmt::format("two figures are called \"{}\"", figure.name),
                                "give every figure its own name");
        figures.push_back(std::move(figure));
    }
    join_panels(figures);
    return figures;
}

std::vector<PublishedValues> published_of(const json& document,
                                          const std::vector<std::string>& variants) {
    std::vector<PublishedValues> published;
    const json list = list_of(document, "published");
    for (size_t i = 0; i < list.size(); ++i) {
        const std::string place = fmt::format("published[{}]", i);
        check_keys(list[i], place, {"source", "measure", "values"});
        PublishedValues entry{text_of(list[i], "source", place),
                              measure_of_word(text_of(list[i], "measure", place)),
                              {}};
        require_printable(entry.source, place + ".source");
        require_measure(entry.measure, place + ".measure");
        const json values = list[i].value("values", json::object());
        if (!values.is_object()) throw UserError(place + ".values is no object", "write { ... }");
        for (const auto& [variant, value] : values.items()) {
            if (std::find(variants.begin(), variants.end(), variant) == variants.end())
                throw UserError(fmt::format("{} names the run {}, which the study has not{}", place,
                                            shown(variant), suggestion(variant, variants)));
            if (!value.is_number())
                throw UserError(
                    fmt::format("{}: {} = {} is no number", place, shown(variant), shown(value)),
                    "give the published value");
            entry.values[variant] = value.get<double>();
        }
        published.push_back(std::move(entry));
    }
    return published;
}

std::vector<std::string> measures_of(const json& document) {
    std::vector<std::string> measures;
    for (const json& measure : list_of(document, "measures")) {
        if (!measure.is_string())
            throw UserError(fmt::format("\"measures\" has {}, which is no text", shown(measure)),
                            "write measures such as \"params\" or \"val.loss\"");
        measures.push_back(measure_of_word(measure.get<std::string>()));
        require_measure(measures.back(), "\"measures\"");
    }
    return measures;
}

Study parse(const json& document, const std::filesystem::path& folder) {
    check_keys(document, "the study",
               {"schema", "name", "description", "job", "seeds", "sweep", "budget", "runs",
                "figures", "expect", "published", "measures", "search"});
    if (document.value("schema", json()) != kStudySchema)
        throw UserError(fmt::format("\"schema\" = {} is not a study that this version reads",
                                    shown(document.value("schema", json()))),
                        fmt::format("write \"schema\": \"{}\"", kStudySchema));
    const json common = document.value("job", json::object());
    if (common.is_object() && common.contains("name"))
        throw UserError("\"job\" has a name, which all runs would share",
                        "name the runs by their ids");
    Study study;
    study.name = text_of(document, "name", "the study");
    require_printable(study.name, "the study's \"name\"");
    if (document.contains("description"))
        study.description = text_of(document, "description", "the study");
    study.seeds = seeds_of(document, common);
    study.runs = runs_of(document, common, study.seeds);
    study.figures = figures_of(document, study.runs, folder);
    const std::vector<std::string> variants = variants_in(study.runs);
    if (document.contains("expect")) study.expect = parse_claims(document.at("expect"), variants);
    study.published = published_of(document, variants);
    study.measures = measures_of(document);
    parse_search(document);  // refuses what cannot be searched
    return study;
}

}  // namespace

std::string id_of_seed(std::string_view variant, int64_t seed) {
    return fmt::format("{}-s{}", variant, seed);
}

std::string variant_of_id(std::string_view id, int64_t seed) {
    const std::string suffix = id_of_seed("", seed);
    return std::string(id.ends_with(suffix) ? id.substr(0, id.size() - suffix.size()) : id);
}

std::vector<StudyRun> with_seeds_together(std::vector<StudyRun> runs) {
    std::map<std::string, size_t> place;
    for (const StudyRun& run : runs) place.emplace(run.variant, place.size());
    std::stable_sort(runs.begin(), runs.end(), [&](const StudyRun& a, const StudyRun& b) {
        return place.at(a.variant) < place.at(b.variant);
    });
    return runs;
}

bool names_a_file(std::string_view text, size_t longest) {
    return !text.empty() && text.size() <= longest && text.front() != '.' && text.front() != '-' &&
           std::all_of(text.begin(), text.end(), is_name_char);
}

nlohmann::json merged(nlohmann::json base, const nlohmann::json& changes) {
    if (!base.is_object() || !changes.is_object()) return changes;
    for (const auto& [key, value] : changes.items())
        base[key] = base.contains(key) ? merged(base[key], value) : value;
    return base;
}

Study parse_study(const nlohmann::json& document, const std::string& source) {
    try {
        return parse(document, std::filesystem::path(source).parent_path());
    } catch (const UserError& error) {
        throw UserError(fmt::format("{}: {}", source, error.what()));
    }
}

Study load_study(const std::filesystem::path& study_json) {
    return parse_study(load_json(study_json), study_json.string());
}

}  // namespace headroom
