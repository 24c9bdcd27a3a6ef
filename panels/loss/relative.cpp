#include "panels/loss/relative.h"

#include "panels/study/run_pairing.h"

namespace headroom {
namespace {

/// By what was trained on where that is known, otherwise by the number of tokens.
bool same_tokens(const LossRows& a, uint32_t row_a, const LossRows& b, uint32_t row_b) {
    if (a.kind == LossKind::kTrain && !a.other)
        return same_batch(a.run->series->train, row_a, b.run->series->train, row_b);
    return a.tokens(row_a) == b.tokens(row_b);
}

double relative(double loss, double base, RelativeUnit unit) {
    return unit == RelativeUnit::kNats ? loss - base : 100 * (loss / base - 1);
}

/// Calls `use` with the places among the rows that count of every step that both have.
template <class Use>
void for_common_steps(const LossRows& series, const LossRows& baseline, const Use& use) {
    size_t at = 0;
    for (size_t i = 0; i < series.kept.size(); ++i) {
        const int64_t step = series.step(series.kept[i]);
        while (at < baseline.kept.size() && baseline.step(baseline.kept[at]) < step) ++at;
        if (at == baseline.kept.size()) break;
        if (baseline.step(baseline.kept[at]) == step) use(i, at);
    }
}

bool at_equal_places(const LossRows& series, const LossRows& baseline, const PairedPlaces& places) {
    if (places.series.empty()) return true;
    bool equal = true, any = false;
    for_common_steps(series, baseline, [&](size_t i, size_t at) {
        any = true;
        equal = equal && places.series[i] == places.baseline[at];
    });
    return any && equal;
}

PairedLoss pair_steps(const LossRows& series, const LossRows& baseline, RelativeUnit unit) {
    PairedLoss result;
    for_common_steps(series, baseline, [&](size_t i, size_t at) {
        const uint32_t row = series.kept[i], other = baseline.kept[at];
        if (!same_tokens(series, row, baseline, other)) result.equal_batches = false;
        result.rows.push_back(row);
        result.difference.push_back(relative(series.loss(row), baseline.loss(other), unit));
    });
    return result;
}

PairedLoss pair_places(const LossRows& series, const LossRows& baseline, const PairedPlaces& places,
                       RelativeUnit unit) {
    PairedLoss result{.rows = {}, .difference = {}, .equal_batches = false, .equal_steps = false};
    size_t after = 0;  // the first row of the baseline that is not before the place
    for (size_t i = 0; i < series.kept.size(); ++i) {
        const double x = places.series[i];
        while (after < baseline.kept.size() && places.baseline[after] < x) ++after;
        if (after == baseline.kept.size()) break;
        const double right = places.baseline[after];
        if (after == 0 && right > x) continue;
        double base = baseline.loss(baseline.kept[after]);
        if (right > x) {
            const double left = places.baseline[after - 1];
            const double share = (x - left) / (right - left);
            base = (1 - share) * baseline.loss(baseline.kept[after - 1]) + share * base;
        }
        result.rows.push_back(series.kept[i]);
        result.difference.push_back(relative(series.loss(series.kept[i]), base, unit));
    }
    return result;
}

}  // namespace

PairedLoss pair_with_baseline(const LossRows& series, const LossRows& baseline,
                              const PairedPlaces& places, RelativeUnit unit) {
    return at_equal_places(series, baseline, places) ? pair_steps(series, baseline, unit)
                                                     : pair_places(series, baseline, places, unit);
}

}  // namespace headroom
