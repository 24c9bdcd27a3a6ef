#include "panels/study/comparison_rows.h"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "panels/base/number_format.h"
#include "panels/study/csv_field.h"
#include "panels/study/measure_label.h"

namespace headroom {
namespace {

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
    // No difference at all is found by no number of seeds.
    const bool differs = group.difference.difference != 0;
    return paired && group.moments.n > 1 && differs ? fmt::format("> {}", kMostSeeds) : "-";
}

std::string saved_text(const GroupComparison& group, const StudyComparison& comparison) {
    if (!comparison.paired || group.moments.n == 0 || !comparison.measure.is_of_validation_loss())
        return "-";
    if (!group.tokens_saved) return "not reached";
    const std::string saved = fmt::format("{}{:.1f} %", group.tokens_saved_at_least ? ">= " : "",
                                          100 * *group.tokens_saved);
    if (!group.tokens_saved_interval) return saved;
    return fmt::format("{} [{:.1f}, {:.1f}]", saved, 100 * group.tokens_saved_interval->low,
                       100 * group.tokens_saved_interval->high);
}

std::string csv_line(const std::string& name, const SampleMoments& moments,
                     const GroupComparison* group) {
    const bool any = moments.n > 0;
    const auto known = [&](double value) {
        return csv_field(any ? std::optional(value) : std::nullopt);
    };
    std::vector<std::string> fields{csv_field(name), group ? "0" : "1", std::to_string(moments.n),
                                    known(moments.mean), csv_field(moments.deviation)};
    if (group) {
        const auto ends = [](const std::optional<Interval>& interval) {
            return interval ? fmt::format("{},{}", interval->low, interval->high) : ",";
        };
        fields.insert(fields.end(),
                      {known(group->difference.difference), ends(group->difference.interval),
                       csv_field(group->difference.p), csv_field(group->p_holm),
                       group->seeds_needed ? std::to_string(*group->seeds_needed) : "",
                       csv_field(group->tokens_saved), ends(group->tokens_saved_interval)});
    } else {
        fields.emplace_back(",,,,,,,,");
    }
    return fmt::format("{}\n", fmt::join(fields, ","));
}

}  // namespace

std::vector<std::string> comparison_columns() {
    return {"Variant", "n",        "Mean ± sd",    "Difference",  "95 %",
            "p",       "p (Holm)", "Seeds needed", "Tokens saved"};
}

std::vector<std::vector<std::string>> comparison_rows(const StudyComparison& comparison) {
    std::vector<std::vector<std::string>> rows;
    rows.push_back({comparison.baseline, std::to_string(comparison.baseline_moments.n),
                    mean_text(comparison.baseline_moments), "baseline", "", "", "", "", ""});
    for (const GroupComparison& group : comparison.groups) {
        const bool any = group.moments.n > 0;
        rows.push_back({group.name, std::to_string(group.moments.n), mean_text(group.moments),
                        any ? fmt::format("{:+.4f}", group.difference.difference) : "-",
                        interval_text(group.difference), text_or_dash(group.difference.p, "{:.4g}"),
                        text_or_dash(group.p_holm, "{:.4g}"), seeds_text(group, comparison.paired),
                        saved_text(group, comparison)});
    }
    return rows;
}

std::vector<std::string> comparison_notes(const StudyComparison& comparison) {
    std::vector<std::string> notes;
    for (const std::string& note : comparison.baseline_notes)
        notes.push_back(comparison.baseline + ": " + note);
    for (const GroupComparison& group : comparison.groups)
        for (const std::string& note : group.notes) notes.push_back(group.name + ": " + note);
    return notes;
}

std::string comparison_title(const StudyComparison& comparison) {
    return fmt::format("{} of every run, {}",
                       axis_label(comparison.measure, comparison.measured_at),
                       comparison.paired ? "paired by seed and equal batches (paired t test)"
                                         : "not paired (Welch's test)");
}

PrintedTable printed_table(const StudyComparison& comparison) {
    PrintedTable table;
    for (const std::string& head : comparison_columns())
        table.columns.push_back({head, !table.columns.empty()});
    for (const std::vector<std::string>& row : comparison_rows(comparison)) {
        table.rows.emplace_back();
        for (size_t c = 0; c < row.size(); ++c)
            table.rows.back().push_back({c == 0 ? row[c] : with_minus_signs(row[c]), false});
    }
    table.notes = comparison_notes(comparison);
    table.notes.insert(table.notes.begin(), comparison_title(comparison));
    return table;
}

std::string comparison_csv(const StudyComparison& comparison) {
    std::string csv =
        "variant,baseline,n,mean,sd,difference,low,high,p,p_holm,seeds_needed,tokens_saved,"
        "tokens_saved_low,tokens_saved_high\n";
    csv += csv_line(comparison.baseline, comparison.baseline_moments, nullptr);
    for (const GroupComparison& group : comparison.groups)
        csv += csv_line(group.name, group.moments, &group);
    return csv;
}

}  // namespace headroom
