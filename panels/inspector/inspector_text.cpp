#include "panels/inspector/inspector_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "panels/base/numbering.h"
#include "panels/inspector/token_labels.h"

namespace headroom {

static std::string token_at(const MapInfo& info, int64_t position) {
    const auto i = static_cast<size_t>(position);
    if (i >= info.tokens.size()) return fmt::format("{}", position);
    return fmt::format("{} \u201c{}\u201d", position, token_text(info.tokens[i]));
}

std::string measure_text(MapSignal signal, bool differ) {
    const std::string text = signal == MapSignal::kLogits ? "scaled score" : "attention weight";
    return differ ? "difference of " + text + "s" : text;
}

std::string format_entry(double value, int digits) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "infinite" : "\u2212infinite";
    std::string text = fmt::format("{:.{}g}", std::fabs(value), digits);
    return value < 0 ? "\u2212" + text : text;
}

std::string entry_text(const MapInfo& info, const MapEntry& entry) {
    return fmt::format("query {} \u2192 key {}", token_at(info, entry.query),
                       token_at(info, entry.key));
}

std::string head_text(HeadId head) {
    return fmt::format("layer {}, head {}", shown_number(head.layer), shown_number(head.head));
}

std::string value_text(const MapInfo& info, const MapEntry& entry, std::optional<double> value) {
    if (info.causal && entry.key > entry.query) return "masked: the key comes after the query";
    return value ? format_entry(*value) : "\u2026";
}

std::string margins_text(const MapInfo& info, const MapEntry& entry,
                         const HeadStatistics& statistics) {
    const auto line = [&](const char* name, const LineSums& lines, int64_t at, const char* other) {
        const auto i = static_cast<size_t>(at);
        if (i >= lines.sum.size() || lines.entries[i] == 0) return std::string();
        return fmt::format("{}: sum {}, mean {}, {} {} at {} {}", name,
                           format_entry(lines.sum[i], 3),
                           format_entry(lines.sum[i] / static_cast<double>(lines.entries[i]), 3),
                           info.differs ? "largest change" : "largest",
                           format_entry(lines.most[i], 3), other, token_at(info, lines.most_at[i]));
    };
    return line("row", statistics.queries, entry.query, "key") + "  \u00b7  " +
           line("column", statistics.keys, entry.key, "query");
}

std::string patch_text(const PictureQuery& query, const std::optional<PatchPlace>& patch) {
    const bool mean = query.kind == PictureQuery::Kind::kMean;
    std::string text = mean ? "mean of all queries" : "query " + query_text(query);
    if (patch) text += " \u2192 patch " + query_text(PictureQuery::of_patch(*patch));
    return text;
}

/// The greatest of the patches and where it is.
static std::string largest_text(const PatchAttention& attention) {
    const auto most = std::max_element(attention.values.begin(), attention.values.end(),
                                       [](double a, double b) { return a < b || std::isnan(a); });
    const auto i = static_cast<int64_t>(most - attention.values.begin());
    const PatchPlace place{i / attention.columns, i % attention.columns};
    return fmt::format("largest {} at {}", format_entry(*most, 3),
                       query_text(PictureQuery::of_patch(place)));
}

std::string attention_text(const PatchAttention& attention, const std::optional<PatchPlace>& patch,
                           bool sums) {
    std::string text;
    if (patch && patch->row < attention.columns && patch->column < attention.columns)
        text = format_entry(attention.at(*patch)) + "  \u00b7  ";
    text += sums ? fmt::format("in the picture {}, ", format_entry(attention.sum(), 3)) : "";
    text += largest_text(attention);
    if (attention.class_token)
        text += fmt::format(", outside it (cls) {}", format_entry(*attention.class_token, 3));
    return text;
}

std::string summary_text(const HeadStatistics& statistics) {
    if (!statistics.problem.empty()) return statistics.problem;
    std::string text =
        statistics.finite == 0
            ? "no finite entry"
            : fmt::format("least {}, mean {}, greatest {}", format_entry(statistics.least, 3),
                          format_entry(statistics.mean, 3), format_entry(statistics.most, 3));
    if (statistics.not_finite > 0) text += fmt::format(", {} not finite", statistics.not_finite);
    return text;
}

}  // namespace headroom
