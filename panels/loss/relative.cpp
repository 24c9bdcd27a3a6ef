#include "panels/loss/relative.h"

#include "panels/study/run_pairing.h"

namespace headroom {

/// By what was trained on where that is known, otherwise by the number of tokens.
static bool same_tokens(const LossRows& a, uint32_t row_a, const LossRows& b, uint32_t row_b) {
    if (a.kind == LossKind::kTrain && !a.other)
        return same_batch(a.run->series->train, row_a, b.run->series->train, row_b);
    return a.tokens(row_a) == b.tokens(row_b);
}

PairedLoss pair_with_baseline(const LossRows& series, const LossRows& baseline, RelativeUnit unit) {
    PairedLoss result;
    auto at = baseline.kept.begin();
    for (const uint32_t row : series.kept) {
        while (at != baseline.kept.end() && baseline.step(*at) < series.step(row)) ++at;
        if (at == baseline.kept.end()) break;
        if (baseline.step(*at) != series.step(row)) continue;
        if (!same_tokens(series, row, baseline, *at)) result.equal_batches = false;
        const double loss = series.loss(row), base = baseline.loss(*at);
        result.rows.push_back(row);
        result.difference.push_back(unit == RelativeUnit::kNats ? loss - base
                                                                : 100 * (loss / base - 1));
    }
    return result;
}

}  // namespace headroom
