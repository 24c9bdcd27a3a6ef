#pragma once

#include <span>
#include <string>
#include <vector>

#include "panels/loss/loss_view.h"
#include "panels/study/run_question.h"

namespace headroom {

/// Gathers whether a curve's losses answer another question than those of `asked`. True if so.
bool is_other_question(const LossCurve& curve, const Run& asked, const LossSettings& settings,
                       OtherQuestions& questions);

/// "without hidden seeds: base 1, 2; lr 3": a mean without a seed that somebody hides is another
/// than the study's. "" where the visible means have all.
std::string hidden_seeds_note(std::span<const RunPointer> runs, const LossSettings& settings,
                              const std::vector<LossCurve>& curves);

}  // namespace headroom
