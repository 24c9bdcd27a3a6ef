#include "core/study/study_edit_figures.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/study/figure_options.h"
#include "core/study/listed_runs.h"
#include "core/study/run_job.h"
#include "core/study/study_document.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

/// Runs that were launched without being written down. Imported ones have no job to be listed with:
/// figures name them all the same.
void adopt_missing_runs(ordered_json& document, const fs::path& study_dir,
                        const std::vector<std::string>& ids) {
    ListedRuns list(document, study_dir);
    for (const std::string& id : ids)
        if (const RunFolder run = StudyFolder{study_dir}.run(id);
            !list.has(id) && fs::exists(run.job()) && !is_imported(run))
            list.adopt(id);
}

/// "true", "0.6" and "tokens" as they would stand in a file.
ordered_json plain_value(const std::string& text) {
    const json value = parse_json_or_null(text);
    if (value.is_boolean() || (value.is_number() && dump_text(value) == text)) return value;
    return text;
}

ordered_json figure_entry(const StudyFigure& figure) {
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

}  // namespace

void put_figure(const fs::path& study_dir, const StudyFigure& figure, const std::string& was,
                std::optional<size_t> place) {
    change_study(study_dir, [&](ordered_json& document) {
        if (!figure.all_runs && figure.panels.empty())
            adopt_missing_runs(document, study_dir, figure.runs);
        ordered_json& list = list_under(document, "figures");
        ordered_json* old = was.empty() ? nullptr : find_entry(list, "name", was);
        if (!old && !was.empty()) old = find_entry(list, "name", figure.name);  // renamed just now
        if (old)
            *old = figure_entry(figure);
        else
            list.insert(list.begin() + static_cast<std::ptrdiff_t>(
                                           std::min(place.value_or(list.size()), list.size())),
                        figure_entry(figure));
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
