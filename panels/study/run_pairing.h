#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panels/study/run.h"

namespace headroom {

/// Why two runs cannot be compared as a pair up to `at_tokens` (to their ends where none), or "" if
/// they can: data, seed, steps and every batch hash agree. Also before their ends the steps must be
/// those of the other's job: a rate that falls over more of them is still high.
std::string pairing_problem(const Run& a, const Run& b, std::optional<int64_t> at_tokens);

/// Why their losses are not of the same data and the same task, where both jobs are known, or "".
std::string data_problem(const Run& a, const Run& b);

/// How many sequences each of a run's evaluations is over.
int64_t evaluated_rows(const Job& job);

/// Why their validation losses are not over the same tokens, where both jobs are known, or "".
std::string evaluation_problem(const Run& a, const Run& b);

/// Whether both logs say that their first batches of equal tokens were the same: of data that are
/// named otherwise, as a copy in another folder is.
bool begin_with_same_batch(const Run& a, const Run& b);

/// Whether their evaluations were not over the same tokens, by the hashes of the batches; none
/// where a log has none, or where equal data would make other batches.
std::optional<bool> have_other_evaluations(const Run& a, const Run& b);
/// Whether their validation data were not the same, where both logs tell.
bool have_other_validation_data(const Run& a, const Run& b);

/// Why at equal tokens before their ends their rates are not at the same point of the schedule,
/// where both jobs are known, or "".
std::string schedule_problem(const Run& a, const Run& b);

/// Whether two training steps read the same tokens: by the hash of the batch where both logs have
/// it, and by the number of tokens seen.
bool same_batch(const TrainSeries& a, uint32_t row_a, const TrainSeries& b, uint32_t row_b);

/// The run that `run` is compared with: the one of the baseline's variant with the same seed, which
/// saw the same batches in the same order; otherwise the baseline itself.
RunPointer partner_of(const Run& run, const RunPointer& baseline, std::span<const RunPointer> runs);

/// A validation curve: tokens strictly ascending, losses finite.
struct LossCurvePoint {
    int64_t tokens = 0;
    double loss = 0;
};
std::vector<LossCurvePoint> validation_curve(const Run& run);
/// The least loss that is a number; NaN where there is none.
double best_of(const std::vector<LossCurvePoint>& curve);

/// Mean of several curves at the numbers of tokens that all of them have.
std::vector<LossCurvePoint> mean_of(const std::vector<std::vector<LossCurvePoint>>& curves);

/// Share of `baseline_tokens` that is saved where `curve`, linear between its points, first stays
/// at or below `loss`; none where it does not.
std::optional<double> tokens_saved(const std::vector<LossCurvePoint>& curve, double loss,
                                   int64_t baseline_tokens);
/// Whether it stays there from its first evaluation on, which is not that of the untrained model:
/// then at least tokens_saved() are saved, and how many more nobody has measured.
bool is_reached_before_measured(const std::vector<LossCurvePoint>& curve, double loss);

}  // namespace headroom
