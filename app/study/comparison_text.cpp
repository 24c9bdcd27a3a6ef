#include "app/study/comparison_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/study/text_table.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

template <class T>
ordered_json or_null(const std::optional<T>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}

std::string text_or_dash(const std::optional<double>& value, const char* format) {
    return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

std::string mean_text(const SampleMoments& moments) {
    if (moments.n == 0) return "-";
    return moments.deviation ? fmt::format("{:.4f} ± {:.4f}", moments.mean, *moments.deviation)
                             : fmt::format("{:.4f}", moments.mean);
}

std::string interval_text(const MeanDifference& difference) {
    if (!difference.interval) return "-";
    return fmt::format("[{:+.4f}, {:+.4f}]", difference.interval->low, difference.interval->high);
}

std::string seeds_text(const GroupComparison& group, bool paired) {
    if (group.seeds_needed) return std::to_string(*group.seeds_needed);
    return paired && group.moments.n > 1 ? "> 1000" : "-";
}

std::string saved_text(const GroupComparison& group, bool paired) {
    if (!paired || group.moments.n == 0) return "-";
    if (!group.tokens_saved) return "not reached";
    const std::string saved = fmt::format("{:.1f} %", 100 * *group.tokens_saved);
    if (!group.tokens_saved_interval) return saved;
    return fmt::format("{} [{:.1f}, {:.1f}]", saved, 100 * group.tokens_saved_interval->low,
                       100 * group.tokens_saved_interval->high);
}

ordered_json group_json(const GroupComparison& group) {
    const bool any = group.moments.n > 0;
    const auto known = [&](double value) { return any ? ordered_json(value) : ordered_json(); };
    const auto& interval = group.difference.interval;
    const auto& saved = group.tokens_saved_interval;
    return {{"name", group.name},
            {"n", group.moments.n},
            {"mean", known(group.moments.mean)},
            {"sd", or_null(group.moments.deviation)},
            {"difference", known(group.difference.difference)},
            {"low", interval ? ordered_json(interval->low) : ordered_json()},
            {"high", interval ? ordered_json(interval->high) : ordered_json()},
            {"p", or_null(group.difference.p)},
            {"p_holm", or_null(group.p_holm)},
            {"seeds_needed", or_null(group.seeds_needed)},
            {"tokens_saved", or_null(group.tokens_saved)},
            {"tokens_saved_low", saved ? ordered_json(saved->low) : ordered_json()},
            {"tokens_saved_high", saved ? ordered_json(saved->high) : ordered_json()},
            {"notes", group.notes}};
}

}  // namespace

std::string comparison_table(const StudyComparison& comparison) {
    std::vector<std::vector<std::string>> rows{{"VARIANT", "N", "MEAN ± SD", "DIFFERENCE", "95 %",
                                                "P", "P (HOLM)", "SEEDS NEEDED", "TOKENS SAVED"}};
    rows.push_back({comparison.baseline, std::to_string(comparison.baseline_moments.n),
                    mean_text(comparison.baseline_moments), "baseline", "", "", "", "", ""});
    for (const GroupComparison& group : comparison.groups) {
        const bool any = group.moments.n > 0;
        rows.push_back({group.name, std::to_string(group.moments.n), mean_text(group.moments),
                        any ? fmt::format("{:+.4f}", group.difference.difference) : "-",
                        interval_text(group.difference), text_or_dash(group.difference.p, "{:.4g}"),
                        text_or_dash(group.p_holm, "{:.4g}"), seeds_text(group, comparison.paired),
                        saved_text(group, comparison.paired)});
    }
    std::string text =
        fmt::format("{} of every run, {}\n", comparison.measure.name(),
                    comparison.paired ? "paired by seed and equal batches (paired t test)"
                                      : "not paired (Welch's test)");
    text += text_table(rows);
    for (const GroupComparison& group : comparison.groups)
        for (const std::string& note : group.notes) text += group.name + ": " + note + "\n";
    return text;
}

ordered_json comparison_json(const StudyComparison& comparison) {
    const SampleMoments& baseline = comparison.baseline_moments;
    ordered_json document = {{"baseline", comparison.baseline},
                             {"measure", comparison.measure.name()},
                             {"test", comparison.paired ? "paired t" : "Welch"},
                             {"baseline_n", baseline.n},
                             {"baseline_mean", baseline.mean},
                             {"baseline_sd", or_null(baseline.deviation)},
                             {"variants", ordered_json::array()}};
    for (const GroupComparison& group : comparison.groups)
        document["variants"].push_back(group_json(group));
    return document;
}

}  // namespace headroom
