#include "panels/study/run_pairing.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "core/log/named_series.h"

namespace headroom {
namespace {

/// Logs of other writers have no hashes, those that were imported zeros in their place.
bool knows_batch(const TrainSeries& train, uint32_t row) {
    return row < train.batch_hash.size() && train.batch_hash[row] != 0;
}

/// Rows of the training series that count, up to a number of tokens.
std::vector<uint32_t> training_rows(const Run& run, std::optional<int64_t> at_tokens) {
    const TrainSeries& train = run.series->train;
    std::vector<uint32_t> rows =
        kept_rows(train.step.size(), [&](size_t row) { return train.step[row]; }).kept;
    if (at_tokens)
        std::erase_if(rows, [&](uint32_t row) { return train.tokens[row] > *at_tokens; });
    return rows;
}

/// Of what its evaluations were on; 0 where nobody knows.
uint64_t evaluation_hash(const Run& run) {
    const auto& hashes = run.series->val.batch_hash;
    return hashes.empty() ? 0 : hashes[hashes.size() - 1];
}

/// Whether equal data make equal evaluation batches of both: others hash otherwise.
bool hash_alike(const Job& a, const Job& b) {
    const auto shape = [](const Job& job) {
        const TrainConfig& train = job.train;
        const ModelConfig& model = job.model;
        return std::tuple(train.batch_size, train.seq_len, train.objective, train.mask_rate,
                          train.mask_span, train.is_masked() ? model.vocab_size : 0,
                          model.image_size, model.patch_size);
    };
    return shape(a) == shape(b);
}

std::string batch_size_problem(const Run& a, const Run& b) {
    if (!a.job || !b.job) return "";
    const TrainConfig &x = a.job->train, &y = b.job->train;
    if (x.seq_len != y.seq_len || x.batch_size * x.grad_accum != y.batch_size * y.grad_accum)
        return "their batches differ in size";
    return "";
}

}  // namespace

std::string data_problem(const Run& a, const Run& b) {
    if (!a.job || !b.job) return "";
    if (!(a.job->data == b.job->data)) return "their data differ";
    if (a.job->train.objective != b.job->train.objective) return "their objectives differ";
    return "";
}

std::string schedule_problem(const Run& a, const Run& b) {
    if (!a.job || !b.job) return "";
    const TrainConfig &x = a.job->train, &y = b.job->train;
    const bool constant = x.min_lr == x.lr && y.min_lr == y.lr;
    if (constant || x.cosine_steps() == y.cosine_steps()) return "";
    return fmt::format("their rates fall over {} and {} steps", x.cosine_steps(), y.cosine_steps());
}

int64_t evaluated_rows(const Job& job) {
    return job.train.eval_batches * job.train.batch_size;
}

std::string evaluation_problem(const Run& a, const Run& b) {
    if (!a.job || !b.job) return "";
    const int64_t x = evaluated_rows(*a.job), y = evaluated_rows(*b.job);
    if (x != y) return fmt::format("they are evaluated on {} and {} sequences", x, y);
    return have_other_validation_data(a, b) ? "their validation data were not the same" : "";
}

std::optional<bool> have_other_evaluations(const Run& a, const Run& b) {
    const uint64_t p = evaluation_hash(a), q = evaluation_hash(b);
    if (!a.job || !b.job || p == 0 || q == 0 || !hash_alike(*a.job, *b.job)) return std::nullopt;
    return p != q;
}

bool begin_with_same_batch(const Run& a, const Run& b) {
    const TrainSeries &x = a.series->train, &y = b.series->train;
    if (x.step.empty() || y.step.empty()) return false;
    return knows_batch(x, 0) && knows_batch(y, 0) && x.step[0] == y.step[0] &&
           same_batch(x, 0, y, 0);
}

bool have_other_validation_data(const Run& a, const Run& b) {
    return have_other_evaluations(a, b).value_or(false);
}

std::string pairing_problem(const Run& a, const Run& b, std::optional<int64_t> at_tokens) {
    if (a.seed != b.seed) return fmt::format("seeds {} and {} differ", a.seed, b.seed);
    if (std::string problem = data_problem(a, b); !problem.empty()) return problem;
    if (std::string problem = batch_size_problem(a, b); !problem.empty()) return problem;
    if (std::string problem = schedule_problem(a, b); at_tokens && !problem.empty()) return problem;
    const TrainSeries &x = a.series->train, &y = b.series->train;
    const std::vector<uint32_t> rows_a = training_rows(a, at_tokens),
                                rows_b = training_rows(b, at_tokens);
    const bool untrained = a.job && b.job && a.job->train.steps == 0 && b.job->train.steps == 0;
    if ((rows_a.empty() || rows_b.empty()) && !untrained) return "a log has no step";
    const size_t common = std::min(rows_a.size(), rows_b.size());
    for (size_t i = 0; i < common; ++i) {
        const uint32_t p = rows_a[i], q = rows_b[i];
        if (!knows_batch(x, p) || !knows_batch(y, q))
            return "a log has no batch hashes, so nothing proves that the batches were the same";
        if (x.step[p] != y.step[q] || !same_batch(x, p, y, q))
            return fmt::format("they saw different batches at step {}", x.step[p]);
    }
    if (rows_a.empty() != rows_b.empty()) return "one of them has no step";
    if (rows_a.size() != rows_b.size())
        return fmt::format("they were trained for {} and {} steps", x.step[rows_a.back()],
                           y.step[rows_b.back()]);
    return "";
}

bool same_batch(const TrainSeries& a, uint32_t row_a, const TrainSeries& b, uint32_t row_b) {
    if (a.tokens[row_a] != b.tokens[row_b]) return false;
    return !knows_batch(a, row_a) || !knows_batch(b, row_b) ||
           a.batch_hash[row_a] == b.batch_hash[row_b];
}

RunPointer partner_of(const Run& run, const RunPointer& baseline,
                      std::span<const RunPointer> runs) {
    if (baseline->seed == run.seed) return baseline;
    for (const RunPointer& other : runs)
        if (other->group == baseline->group && other->seed == run.seed) return other;
    return baseline;
}

std::vector<LossCurvePoint> validation_curve(const Run& run) {
    const ValSeries& val = run.series->val;
    std::vector<LossCurvePoint> curve;
    for (const uint32_t row :
         kept_rows(val.step.size(), [&](size_t r) { return val.step[r]; }).kept)
        if (std::isfinite(val.loss[row]) &&
            (curve.empty() || val.tokens[row] > curve.back().tokens))
            curve.push_back({val.tokens[row], val.loss[row]});
    return curve;
}

double best_of(const std::vector<LossCurvePoint>& curve) {
    double best = std::nan("");
    for (const LossCurvePoint& point : curve)
        if (std::isfinite(point.loss) && !(best <= point.loss)) best = point.loss;
    return best;
}

std::vector<LossCurvePoint> mean_of(const std::vector<std::vector<LossCurvePoint>>& curves) {
    std::vector<LossCurvePoint> mean;
    if (curves.empty()) return mean;
    for (const LossCurvePoint& point : curves.front()) {
        double sum = 0;
        size_t count = 0;
        for (const auto& curve : curves) {
            const auto at = std::lower_bound(
                curve.begin(), curve.end(), point.tokens,
                [](const LossCurvePoint& p, int64_t tokens) { return p.tokens < tokens; });
            if (at == curve.end() || at->tokens != point.tokens) break;
            sum += at->loss;
            ++count;
        }
        if (count == curves.size())
            mean.push_back({point.tokens, sum / static_cast<double>(count)});
    }
    return mean;
}

/// From where on a curve stays at or below a loss; its size where it does not.
static size_t place_of_stay(const std::vector<LossCurvePoint>& curve, double loss) {
    size_t first = curve.size();
    while (first > 0 && curve[first - 1].loss <= loss) --first;
    return first;
}

bool is_reached_before_measured(const std::vector<LossCurvePoint>& curve, double loss) {
    return !curve.empty() && place_of_stay(curve, loss) == 0 && curve.front().tokens > 0;
}

std::optional<double> tokens_saved(const std::vector<LossCurvePoint>& curve, double loss,
                                   int64_t baseline_tokens) {
    const size_t first = place_of_stay(curve, loss);
    if (first == curve.size() || baseline_tokens <= 0) return std::nullopt;
    auto tokens = static_cast<double>(curve[first].tokens);
    if (first > 0) {
        const LossCurvePoint &above = curve[first - 1], &below = curve[first];
        const double share = (above.loss - loss) / (above.loss - below.loss);
        tokens = static_cast<double>(above.tokens) +
                 share * static_cast<double>(below.tokens - above.tokens);
    }
    return 1 - tokens / static_cast<double>(baseline_tokens);
}

}  // namespace headroom
