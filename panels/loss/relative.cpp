#include "panels/loss/relative.h"

namespace headroom {

/// By the hash of the tokens where both logs have it, and by their number.
static bool same_batch(const LossRows& a, uint32_t row_a, const LossRows& b, uint32_t row_b) {
    if (a.tokens(row_a) != b.tokens(row_b)) return false;
    if (a.kind != LossKind::kTrain || a.other) return true;
    const SharedColumn<uint64_t>& hash_a = a.run->series->train.batch_hash;
    const SharedColumn<uint64_t>& hash_b = b.run->series->train.batch_hash;
    return hash_a.empty() || hash_b.empty() || hash_a[row_a] == hash_b[row_b];
}

RunPointer baseline_partner(const Run& run, const RunPointer& baseline,
                            std::span<const RunPointer> runs) {
    if (baseline->seed == run.seed) return baseline;
    for (const RunPointer& other : runs)
        if (other->group == baseline->group && other->seed == run.seed) return other;
    return baseline;
}

PairedLoss pair_with_baseline(const LossRows& series, const LossRows& baseline, RelativeUnit unit) {
    PairedLoss result;
    auto at = baseline.kept.begin();
    for (const uint32_t row : series.kept) {
        while (at != baseline.kept.end() && baseline.step(*at) < series.step(row)) ++at;
        if (at == baseline.kept.end()) break;
        if (baseline.step(*at) != series.step(row)) continue;
        if (!same_batch(series, row, baseline, *at)) result.equal_batches = false;
        const double loss = series.loss(row), base = baseline.loss(*at);
        result.rows.push_back(row);
        result.difference.push_back(unit == RelativeUnit::kNats ? loss - base
                                                                : 100 * (loss / base - 1));
    }
    return result;
}

}  // namespace headroom
