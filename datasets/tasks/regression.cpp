#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/data/data_source.h"
#include "datasets/tasks/tasks.h"

namespace headroom {
namespace {

/// In-context linear regression (Garg et al. 2022, arXiv:2208.01066), cut into tokens. A row has
/// its own weights w of `dim` numbers and shows x_1, y_1, x_2, y_2, ... with y_i = w . x_i /
/// sqrt(dim); each number is one token: one of `bins` equal bins of [-3, 3], those of y after those
/// of x. y is computed from the middles of x's bins, so that it can be predicted. Only y is scored,
/// and the first `dim` of them are ignored because they do not yet determine w.
class RegressionSource : public TaskSource {
  public:
    RegressionSource(int64_t dim, int64_t bins) : dim_(dim), bins_(bins) {}

    int64_t vocab_size() const override { return 2 * bins_; }

    void sample(CounterRandom& random, std::span<int32_t> inputs,
                std::span<int32_t> targets) const override {
        std::vector<double> w(static_cast<size_t>(dim_));
        for (double& weight : w) weight = normal(random);
        std::vector<int32_t> tokens;
        while (tokens.size() <= inputs.size()) {
            double y = 0;
            for (const double weight : w) {
                tokens.push_back(bin(normal(random)));
                y += weight * middle(tokens.back());
            }
            y /= std::sqrt(static_cast<double>(dim_));
            tokens.push_back(static_cast<int32_t>(bins_ + bin(y)));
        }
        for (size_t t = 0; t < inputs.size(); ++t) {
            const auto next = static_cast<int64_t>(t + 1);
            const bool is_y = next % (dim_ + 1) == dim_, known = next / (dim_ + 1) >= dim_;
            inputs[t] = tokens[t];
            targets[t] = is_y && known ? tokens[t + 1] : kIgnoredTarget;
        }
    }

    void check_seq_len(int64_t seq_len) const override {
        require_seq_len(seq_len, (dim_ + 1) * (dim_ + 1) - 2, "?dim + 1 pairs of x and y");
    }

    std::string describe() const override {
        return fmt::format("task:regression?dim={}&bins={}", dim_, bins_);
    }

  private:
    static constexpr double kRange = 3.0;

    /// Nearly normal: a sum of twelve uniform numbers, with mean 0 and variance 1. Exact, unlike
    /// logarithms and cosines, so that every machine draws the same tokens.
    static double normal(CounterRandom& random) {
        double sum = -6.0;
        for (int i = 0; i < 12; ++i) sum += random.uniform();
        return sum;
    }
    int32_t bin(double value) const {
        const double place = (value + kRange) / (2 * kRange) * static_cast<double>(bins_);
        const auto index = static_cast<int64_t>(std::floor(place));
        return static_cast<int32_t>(std::clamp<int64_t>(index, 0, bins_ - 1));
    }
    double middle(int32_t index) const {
        return (2.0 * index + 1.0) / static_cast<double>(bins_) * kRange - kRange;
    }

    int64_t dim_, bins_;
};

}  // namespace

TaskInfo regression_task() {
    return {"regression",
            "in-context linear regression, numbers as tokens: predict y from the pairs before",
            {{"dim", 4, 1, 256, "length of x"}, {"bins", 64, 2, 32768, "tokens for each of x, y"}},
            [](const TaskOptions& options) -> std::unique_ptr<SequenceSource> {
                return std::make_unique<RegressionSource>(options.at("dim"), options.at("bins"));
            }};
}

}  // namespace headroom
