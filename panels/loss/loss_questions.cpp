#include "panels/loss/loss_questions.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace headroom {

/// None where the curve shows what is no loss.
static std::optional<LossOver> over_what(const LossCurve& curve, const LossSettings& settings) {
    if (!settings.metric.empty()) return loss_over(settings.metric);
    return curve.kind == LossKind::kTrain ? LossOver::kTraining : LossOver::kValidation;
}

bool is_other_question(const LossCurve& curve, const Run& asked, const LossSettings& settings,
                       OtherQuestions& questions) {
    const std::optional<LossOver> over = over_what(curve, settings);
    if (!over) return false;
    const Run& run = *curve.series.run;
    const std::string_view difference = question_difference(run, asked, *over);
    questions.add(run.group, run, asked, difference);
    return !difference.empty();
}

std::string hidden_seeds_note(std::span<const RunPointer> runs, const LossSettings& settings,
                              const std::vector<LossCurve>& curves) {
    std::string hidden, last;
    for (const RunPointer& run : runs) {
        if (!settings.group_seeds || !settings.left_out.contains(run->id)) continue;
        const bool in_a_mean =
            std::any_of(curves.begin(), curves.end(), [&](const LossCurve& curve) {
                return curve.visible && curve.series.run->group == run->group;
            });
        if (!in_a_mean) continue;
        hidden += run->group == last
                      ? fmt::format(", {}", run->seed)
                      : fmt::format("{}{} {}", last.empty() ? "" : "; ", run->group, run->seed);
        last = run->group;
    }
    return hidden.empty() ? "" : "without hidden seeds: " + hidden;
}

}  // namespace headroom
