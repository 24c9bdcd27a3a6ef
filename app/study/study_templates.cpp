#include "app/study/study_templates.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/program_files.h"
#include "core/account/training_cost.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/config/set_key.h"
#include "core/data/data_paths.h"
#include "core/search/search_budget.h"
#include "core/search/successive_halving.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

fs::path file_of_scale(const StudyTemplate& chosen, std::string_view scale) {
    return scale == kLaptopScale ? StudyFolder{chosen.folder}.plan()
                                 : chosen.folder / fmt::format("{}.json", scale);
}

ordered_json document_of(const StudyTemplate& chosen, const std::string& scale) {
    ordered_json document = load_ordered_json(file_of_scale(chosen, kLaptopScale));
    if (scale == kLaptopScale) return document;
    const fs::path file = file_of_scale(chosen, scale);
    const ordered_json changes = load_ordered_json(file);
    if (!changes.is_object())
        throw UserError(fmt::format("{} is no object", file.string()), "write { ... }");
    for (const auto& [key, value] : changes.items()) document[key] = value;
    return document;
}

/// The template with the changes, checked.
ordered_json changed_document(const StudyTemplate& chosen, const std::string& scale,
                              const TemplateChanges& changes) {
    ordered_json document = document_of(chosen, scale);
    json job = document.value("job", ordered_json::object());
    apply_sets(job, changes.sets);
    document["job"] = job;
    if (!changes.budget.empty()) {
        if (!document.contains("search"))
            throw UserError(chosen.name + " searches nothing that could have a --budget",
                            "leave it out, or take the template wiring-search");
        document["search"]["budget"] = budget_of_option(changes.budget);
    }
    if (changes.tokens > 0) document["budget"] = {{"tokens", changes.tokens}};
    const std::string source = fmt::format("{} at scale {}", chosen.name, scale);
    parse_study(json(document), source);
    const std::optional<WiringSearch> search = parse_search(json(document));
    const bool countable = search && (search->by == "cache" || search->job.model.vocab_size > 0);
    if (countable) SearchBudget{*search};
    return document;
}

/// A file of where the study is made, as the study finds it from everywhere; those of the study
/// itself and those that are not there stay as they are.
std::string pinned(const std::string& text, const fs::path& study_dir) {
    const fs::path path = text;
    std::error_code ignored;
    if (path.empty() || path.is_absolute() || fs::exists(study_dir / path, ignored) ||
        !fs::exists(path, ignored))
        return text;
    const fs::path whole = fs::weakly_canonical(path);
    const fs::path own = whole.lexically_relative(fs::weakly_canonical(study_dir));
    return (own.empty() || *own.begin() == ".." ? whole : own).string();
}

/// The same of KEY=VALUE, where KEY names files.
std::string with_pinned_paths(const std::string& set, const fs::path& study_dir) {
    const size_t value = set.find('=') + 1;
    const std::string key = set.substr(0, value == 0 ? 0 : value - 1), text = set.substr(value);
    const auto pin = [&](const std::string& path) { return pinned(path, study_dir); };
    if (key == "train.init_from") return set.substr(0, value) + pin(text);
    if (key == "data.train" || key == "data.val" || key == "data.tokenizer")
        return set.substr(0, value) + change_paths(text, pin);
    return set;
}

}  // namespace

fs::path templates_folder() {
    return resource("studies");
}

std::vector<StudyTemplate> list_templates(const fs::path& folder) {
    std::vector<StudyTemplate> list;
    for (const fs::path& entry : entries_of(folder)) {
        if (!fs::exists(StudyFolder{entry}.plan())) continue;
        StudyTemplate found{entry.filename().string(), entry, {}};
        for (const std::string_view scale : kTemplateScales)
            if (fs::exists(file_of_scale(found, scale))) found.scales.emplace_back(scale);
        list.push_back(std::move(found));
    }
    return list;
}

StudyTemplate find_template(const fs::path& folder, const std::string& name,
                            const std::string& scale) {
    std::vector<std::string> names;
    for (const StudyTemplate& each : list_templates(folder)) {
        names.push_back(each.name);
        if (each.name != name) continue;
        if (std::find(each.scales.begin(), each.scales.end(), scale) == each.scales.end())
            throw UserError(fmt::format("{} has no scale \"{}\"{}", name, scale,
                                        suggestion(scale, each.scales)));
        return each;
    }
    throw UserError(fmt::format("there is no template \"{}\"{}", name, suggestion(name, names)));
}

StudyTemplate find_template(const std::string& name_or_folder, const std::string& scale) {
    const fs::path path = fs::path(name_or_folder).lexically_normal();
    if (!path.has_parent_path()) return find_template(templates_folder(), path.string(), scale);
    const fs::path folder = path.has_filename() ? path : path.parent_path();
    if (!fs::is_directory(folder.parent_path()))
        throw UserError(fmt::format("there is no folder {}", folder.parent_path().string()),
                        "name a template that headroom study templates lists, or a folder");
    return find_template(folder.parent_path(), folder.filename().string(), scale);
}

std::string template_text(const StudyTemplate& chosen, const std::string& scale) {
    if (scale == kLaptopScale) return read_text(file_of_scale(chosen, scale));
    return dump_text(document_of(chosen, scale), 2) + "\n";
}

Study template_study(const StudyTemplate& chosen, const std::string& scale) {
    return parse_study(json(document_of(chosen, scale)),
                       fmt::format("{} at scale {}", chosen.name, scale));
}

Job job_of_search(const WiringSearch& search) {
    Job job = search.job;
    job.train.steps = steps_of(search);
    return job;
}

double training_tokens(const Study& study, const std::optional<WiringSearch>& search) {
    double tokens = search ? training_tokens(job_of_search(*search).train) : 0;
    for (const StudyRun& run : study.runs) tokens += training_tokens(run.job.train);
    return tokens;
}

std::optional<WiringSearch> template_search(const StudyTemplate& chosen, const std::string& scale) {
    return parse_search(json(document_of(chosen, scale)));
}

bool reads_own_tokens(const Study& study) {
    return !study.runs.empty() && study.runs.front().job.data.train.starts_with("tokens:data/");
}

Study changed_study(const StudyTemplate& chosen, const std::string& scale,
                    const TemplateChanges& changes) {
    return parse_study(json(changed_document(chosen, scale, changes)),
                       fmt::format("{} at scale {}", chosen.name, scale));
}

void make_study(const StudyTemplate& chosen, const std::string& scale, const fs::path& study_dir,
                const TemplateChanges& changes) {
    const fs::path file = StudyFolder{study_dir}.plan();
    if (fs::exists(file))
        throw UserError(file.string() + " is there already", "name another folder");
    template_study(chosen, scale);
    TemplateChanges placed = changes;
    for (std::string& set : placed.sets) set = with_pinned_paths(set, study_dir);
    const bool changed = !changes.sets.empty() || !changes.budget.empty() || changes.tokens > 0;
    const std::string text = changed ? dump_text(changed_document(chosen, scale, placed), 2) + "\n"
                                     : template_text(chosen, scale);
    make_folder(study_dir);
    write_file_atomically(file, text);
}

}  // namespace headroom
