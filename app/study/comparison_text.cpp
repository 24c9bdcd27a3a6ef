#include "app/study/comparison_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/study/text_table.h"
#include "core/base/json_numbers.h"
#include "panels/study/comparison_rows.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

ordered_json group_json(const GroupComparison& group) {
    const bool any = group.moments.n > 0;
    const auto known = [&](double value) { return any ? ordered_json(value) : ordered_json(); };
    const auto& interval = group.difference.interval;
    const auto& saved = group.tokens_saved_interval;
    return {{"name", group.name},
            {"n", group.moments.n},
            {"mean", known(group.moments.mean)},
            {"sd", number_or_null(group.moments.deviation)},
            {"difference", known(group.difference.difference)},
            {"low", interval ? ordered_json(interval->low) : ordered_json()},
            {"high", interval ? ordered_json(interval->high) : ordered_json()},
            {"p", number_or_null(group.difference.p)},
            {"p_holm", number_or_null(group.p_holm)},
            {"seeds_needed", number_or_null(group.seeds_needed)},
            {"tokens_saved", number_or_null(group.tokens_saved)},
            {"tokens_saved_low", saved ? ordered_json(saved->low) : ordered_json()},
            {"tokens_saved_high", saved ? ordered_json(saved->high) : ordered_json()},
            {"notes", group.notes}};
}

}  // namespace

std::string comparison_table(const StudyComparison& comparison) {
    std::vector<std::string> heads = comparison_columns();
    for (std::string& head : heads)
        std::transform(head.begin(), head.end(), head.begin(), [](char c) {
            return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        });
    std::vector<std::vector<std::string>> rows{heads};
    for (std::vector<std::string>& row : comparison_rows(comparison))
        rows.push_back(std::move(row));
    std::string text = comparison_title(comparison) + "\n" + text_table(rows);
    for (const std::string& note : comparison_notes(comparison)) text += note + "\n";
    return text;
}

ordered_json comparison_json(const StudyComparison& comparison) {
    const SampleMoments& baseline = comparison.baseline_moments;
    ordered_json document = {{"baseline", comparison.baseline},
                             {"measure", comparison.measure.name()},
                             {"test", comparison.paired ? "paired t" : "Welch"},
                             {"baseline_n", baseline.n},
                             {"baseline_mean", baseline.mean},
                             {"baseline_sd", number_or_null(baseline.deviation)},
                             {"variants", ordered_json::array()}};
    for (const GroupComparison& group : comparison.groups)
        document["variants"].push_back(group_json(group));
    return document;
}

}  // namespace headroom
