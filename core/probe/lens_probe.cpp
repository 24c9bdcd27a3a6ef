#include "core/probe/lens_probe.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/error.h"
#include "core/cpu/parallel.h"
#include "core/data/batch.h"
#include "core/probe/probe_datasets.h"

namespace headroom {
namespace {

constexpr int64_t kLensRows = 128, kTop = 5;

/// Log probabilities of what is predicted, a row for each token.
struct LogProbs {
    int64_t rows = 0, vocabulary = 0;
    std::vector<double> values;

    std::span<double> row(int64_t i) {
        return std::span(values).subspan(static_cast<size_t>(i * vocabulary),
                                         static_cast<size_t>(vocabulary));
    }
    std::span<const double> row(int64_t i) const {
        return std::span(values).subspan(static_cast<size_t>(i * vocabulary),
                                         static_cast<size_t>(vocabulary));
    }
};

/// Makes log probabilities of logits, in place.
void log_softmax(LogProbs& logits) {
    parallel_for(logits.rows, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const std::span<double> row = logits.row(i);
            const double highest = *std::max_element(row.begin(), row.end());
            double sum = 0;
            for (const double value : row) sum += std::exp(value - highest);
            const double log_sum = highest + std::log(sum);
            for (double& value : row) value -= log_sum;
        }
    });
}

/// Σ p (ln p − ln q) of two rows of log probabilities.
double divergence(std::span<const double> p, std::span<const double> q) {
    double sum = 0;
    for (size_t v = 0; v < p.size(); ++v) {
        const double share = std::exp(p[v]);
        if (share != 0) sum += share * (p[v] - q[v]);
    }
    return sum;
}

/// Ids of the k greatest, greatest first; of equal ones the lower id first.
std::vector<int32_t> top_of(std::span<const double> row, int64_t k) {
    std::vector<int32_t> top;
    for (int32_t id = 0; id < static_cast<int32_t>(row.size()); ++id) {
        const double value = row[static_cast<size_t>(id)];
        const auto place = std::find_if(top.begin(), top.end(), [&](int32_t other) {
            return value > row[static_cast<size_t>(other)];
        });
        if (place == top.end() && static_cast<int64_t>(top.size()) == k) continue;
        top.insert(place, id);
        if (static_cast<int64_t>(top.size()) > k) top.pop_back();
    }
    return top;
}

/// What one layer says of one token, beside what the last one says.
struct RowView {
    double kl = 0;
    std::vector<int32_t> top;
};

std::vector<RowView> view_rows(const LogProbs& last, const LogProbs& layer, int64_t k) {
    std::vector<RowView> views(static_cast<size_t>(last.rows));
    parallel_for(last.rows, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
            views[static_cast<size_t>(i)] = {divergence(last.row(i), layer.row(i)),
                                             top_of(layer.row(i), k)};
    });
    return views;
}

}  // namespace

int64_t LensSum::predictions(const ProbePass& pass) {
    return pass.model().reads_images() ? 1 : pass.shape().seq_len;
}

void LensSum::add(const ProbePass& pass, std::span<const int32_t> targets) {
    const int64_t layers = pass.model().n_layer + 1, length = predictions(pass);
    CHECK(static_cast<int64_t>(targets.size()) == pass.shape().batch_size * length,
          "the targets of the pass");
    if (sum_.loss.empty()) {
        const int64_t k = std::min(kTop, head_.vocab_size());
        const NumberArray zeros{{layers}, std::vector<double>(static_cast<size_t>(layers))};
        sum_.loss = sum_.kl = sum_.accuracy = zeros;
        sum_.top_probs = NumberArray::unknown({layers, length, k});
        sum_.top_ids.resize(sum_.top_probs.values.size());
    }
    for (int64_t b = 0; b < pass.shape().batch_size; ++b)
        add_sequence(pass, b,
                     targets.subspan(static_cast<size_t>(b * length), static_cast<size_t>(length)));
}

void LensSum::add_sequence(const ProbePass& pass, int64_t b, std::span<const int32_t> targets) {
    std::vector<TokenMatrix> streams;
    for (int layer = -1; layer < pass.model().n_layer; ++layer)
        streams.push_back(pass.stream(layer, b));
    const auto length = static_cast<int64_t>(targets.size());
    for (int64_t first = 0; first < length; first += kLensRows)
        add_rows(streams, first, std::min(kLensRows, length - first), targets);
    count_ += count_valid(targets);
    top_done_ = true;
}

void LensSum::add_rows(std::span<const TokenMatrix> streams, int64_t first, int64_t rows,
                       std::span<const int32_t> targets) {
    const auto log_probs = [&](const TokenMatrix& stream) {
        const int64_t d = stream.columns;
        LogProbs out{rows, head_.vocab_size(), {}};
        out.values.resize(static_cast<size_t>(out.rows * out.vocabulary));
        if (head_.of_images())
            head_.class_logits(stream.values, stream.rows, out.values);
        else
            head_.logits(
                std::span(stream.values)
                    .subspan(static_cast<size_t>(first * d), static_cast<size_t>(rows * d)),
                rows, out.values);
        log_softmax(out);
        return out;
    };
    const LogProbs last = log_probs(streams.back());
    for (int64_t l = 0; l < std::ssize(streams); ++l) {
        const LogProbs layer = log_probs(streams[static_cast<size_t>(l)]);
        const std::vector<RowView> views = view_rows(last, layer, sum_.top_probs.shape[2]);
        for (int64_t i = 0; i < rows; ++i) {
            const RowView& view = views[static_cast<size_t>(i)];
            if (!top_done_) keep_top(l, first + i, view.top, layer.row(i));
            const int32_t target = targets[static_cast<size_t>(first + i)];
            if (target == kIgnoredTarget) continue;
            sum_.loss.at({l}) -= layer.row(i)[static_cast<size_t>(target)];
            sum_.kl.at({l}) += view.kl;
            sum_.accuracy.at({l}) += view.top[0] == target ? 1 : 0;
        }
    }
}

void LensSum::keep_top(int64_t layer, int64_t token, std::span<const int32_t> top,
                       std::span<const double> log_probs) {
    const Shape& shape = sum_.top_probs.shape;
    auto at = static_cast<size_t>((layer * shape[1] + token) * shape[2]);
    for (const int32_t id : top) {
        sum_.top_ids[at] = id;
        sum_.top_probs.values[at++] = std::exp(log_probs[static_cast<size_t>(id)]);
    }
}

LensNumbers LensSum::mean() const {
    LensNumbers mean = sum_;
    for (NumberArray* array : {&mean.loss, &mean.kl, &mean.accuracy})
        for (double& value : array->values) value /= static_cast<double>(count_);
    return mean;
}

void write_lens(ArrayFileWriter& file, const LensNumbers& numbers) {
    file.add(kLensLoss, numbers.loss.shape, numbers.loss.values, "nats");
    file.add(kLensKl, numbers.kl.shape, numbers.kl.values, "nats");
    file.add(kLensAccuracy, numbers.accuracy.shape, numbers.accuracy.values);
    file.add("/lens/top_ids", numbers.top_probs.shape, numbers.top_ids);
    file.add("/lens/top_probs", numbers.top_probs.shape, numbers.top_probs.values);
    file.plot_hint({"/lens", "loss"});
}

}  // namespace headroom
