#include "core/lab/basis_transfer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/cpu/gemm.h"
#include "core/lab/linear_fit.h"
#include "core/lab/mlp_stack.h"
#include "core/lab/random_numbers.h"

namespace headroom {
namespace {

/// Y = GELU(X W_1) W_2 + X Z (- X for the target as printed), rows; fresh N(0, I) inputs.
class Target {
  public:
    Target(int64_t h, bool literal, uint64_t seed)
        : h_(h), seed_(seed), mlp_({h, 4 * h, 1, MlpKind::kGelu, false}, seed), z_(h, h) {
        z_ = normal_matrix("Z", seed, h, h, 1 / std::sqrt(static_cast<double>(h)));
        for (int64_t i = 0; literal && i < h; ++i) z_.at(i, i) -= 1;
    }

    std::vector<float> inputs(int64_t rows, uint64_t batch) const {
        return normal_floats("X", seed_ * 0x9e3779b97f4a7c15u + batch + 1, rows, h_);
    }
    std::vector<float> of(const std::vector<float>& x) {
        std::vector<float> y = mlp_.forward(x);
        const std::vector<float> linear = linear_map(z_, x);
        for (size_t i = 0; i < y.size(); ++i) y[i] += linear[i];
        return y;
    }

  private:
    int64_t h_;
    uint64_t seed_;
    MlpStack mlp_;
    Matrix z_;
};

constexpr int64_t kChunk = 4096;  ///< samples at a time of the linear map and the test
constexpr uint64_t kLinearBatches = 1u << 30, kTestBatches = 1u << 31;  ///< streams of inputs

struct Errors {
    RelativeError linear, mlp;
};

/// Means over fresh batches.
RelativeError test(Target& target,
                   const std::function<std::vector<float>(const std::vector<float>&)>& predict,
                   int64_t h) {
    RelativeError mean;
    constexpr int kBatches = 4;
    for (int k = 0; k < kBatches; ++k) {
        const std::vector<float> x = target.inputs(kChunk, kTestBatches + static_cast<uint64_t>(k));
        const RelativeError one = relative_error(predict(x), target.of(x), h);
        mean.error += one.error / kBatches;
        mean.cosine_distance += one.cosine_distance / kBatches;
    }
    return mean;
}

/// What the best linear map leaves: it takes the odd part z/2 of GELU, and of the even part
/// e = E[(z (Φ(z) - 1/2))²], z ~ N(0, 1/4), nothing. ‖Y‖² per number is e + 1/16 + 1 or + 2.
double predicted_linear_error(bool literal) {
    constexpr double kEven = 0.021007;
    return std::sqrt(kEven / (kEven + 1.0 / 16 + (literal ? 2 : 1)));
}

}  // namespace

std::string BasisTransfer::shows() const {
    return "Around an MLP with a skip a change of basis gives GELU(X W1) W2 + X Z; an MLP of the "
           "same "
           "shape with a skip, trained long enough, comes twice as near as the best linear map. "
           "\"literal\" takes X off once more, as equation 10 is printed.";
}

std::vector<LabOption> BasisTransfer::options() {
    return {{"h", &h_, "Widths; 256,512,768 in the paper", 2, 4096},
            {"target", &target_, "plain or literal", 0, 0, {"plain", "literal"}},
            {"steps", &steps_, "Of training; 20000 in the paper", 1, 1e7},
            {"batch", &batch_, "Fresh samples a step; 65536 in the paper", 1, 1e6},
            {"linear-samples", &linear_samples_, "Of the linear map; 500000 in the paper", 1, 1e9},
            {"lr", &lr_, "Peak rate of AdamW, by a cosine to 0; 0.005 for the paper's batches",
             1e-8, 1},
            {"weight-decay", &weight_decay_, "Of AdamW", 0, 10},
            {"grad-clip", &grad_clip_, "Greatest norm of a gradient", 1e-6, 1e6},
            {"ridge", &ridge_, "Of the linear map", 0, 1e6},
            {"seed", &seed_, "Of target, inputs and the trained MLP", 0, 1e9}};
}

LabResult BasisTransfer::run(const LabProgress& progress) {
    LabResult result;
    const bool literal = target_ == "literal";
    LabTable table{"errors",
                   {"h", "linear, predicted", "linear", "MLP", "linear / MLP", "linear 1 - cos",
                    "MLP 1 - cos", "steps"},
                   {}};
    LabChart curve{"training",
                   "step",
                   "relative error",
                   true,
                   true,
                   {},
                   "of the batch of each step, before it"};
    LabChart bars{"errors", "h", "relative error", false, false, {}, target_ + " target"};
    LabSeries linear_bars{"linear map", LabSeries::Style::kColumns, {}, {}},
        mlp_bars{"MLP with skip", LabSeries::Style::kColumns, {}, {}};
    const double share = 1 / static_cast<double>(h_.size());
    for (size_t w = 0; w < h_.size() && !result.stopped; ++w) {
        const int64_t h = h_[w];
        const double done = static_cast<double>(w) * share;
        Target target(h, literal, static_cast<uint64_t>(seed_));
        LinearFit fit(h, h);
        for (int64_t first = 0; first < linear_samples_ && !result.stopped; first += kChunk) {
            const std::vector<float> x =
                target.inputs(std::min(kChunk, linear_samples_ - first),
                              kLinearBatches + static_cast<uint64_t>(first / kChunk));
            fit.add(x, target.of(x));
            result.stopped = !progress(done, fmt::format("h = {}: linear map", h));
        }
        if (result.stopped) break;
        const Matrix map = fit.solve(ridge_);
        Errors errors;
        errors.linear = test(
            target, [&](const auto& x) { return linear_map(map, x); }, h);

        MlpStack mlp({h, 4 * h, 1, MlpKind::kGelu, true}, static_cast<uint64_t>(seed_) + 7919);
        const StackOptimizer optimizer{lr_, weight_decay_, grad_clip_, steps_};
        LabSeries losses{fmt::format("h = {}", h), LabSeries::Style::kLine, {}, {}};
        int64_t step = 0;
        for (; step < steps_ && !result.stopped; ++step) {
            const std::vector<float> x = target.inputs(batch_, static_cast<uint64_t>(step));
            const double loss = mlp.train_step(x, target.of(x), optimizer);
            if (step % std::max<int64_t>(1, steps_ / 200) == 0) {
                losses.x.push_back(static_cast<double>(step + 1));
                losses.y.push_back(std::sqrt(loss));
            }
            result.stopped =
                !progress(done + share * static_cast<double>(step) / static_cast<double>(steps_),
                          fmt::format("h = {}: step {} of {}, error {:.4f}", h, step, steps_,
                                      std::sqrt(loss)));
        }
        errors.mlp = test(
            target, [&](const auto& x) { return mlp.forward(x); }, h);
        curve.series.push_back(std::move(losses));
        const double predicted = predicted_linear_error(literal);
        table.rows.push_back({h, predicted, errors.linear.error, errors.mlp.error,
                              errors.linear.error / errors.mlp.error, errors.linear.cosine_distance,
                              errors.mlp.cosine_distance, step});
        linear_bars.x.push_back(static_cast<double>(h));
        linear_bars.y.push_back(errors.linear.error);
        mlp_bars.x.push_back(static_cast<double>(h));
        mlp_bars.y.push_back(errors.mlp.error);
        result.checks.push_back({fmt::format("error of the linear map, h = {}", h), predicted,
                                 errors.linear.error, 0.05});
    }
    bars.series = {std::move(linear_bars), std::move(mlp_bars)};
    result.tables.push_back(std::move(table));
    result.charts.push_back(std::move(bars));
    result.charts.push_back(std::move(curve));
    progress(1, "done");
    return result;
}

}  // namespace headroom
