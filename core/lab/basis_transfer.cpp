#include "core/lab/basis_transfer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "core/cpu/gemm.h"
#include "core/lab/linear_fit.h"
#include "core/lab/mlp_stack.h"
#include "core/lab/random_numbers.h"
#include "core/stats/sample_mean.h"

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

/// Of fresh batches, the same ones for every prediction of a target.
struct TestErrors {
    std::vector<double> errors, cosine_distances;

    double error() const { return sample_mean(errors).mean; }
    double cosine_distance() const { return sample_mean(cosine_distances).mean; }
};

struct Errors {
    TestErrors linear, mlp;
};

TestErrors test(Target& target,
                const std::function<std::vector<float>(const std::vector<float>&)>& predict,
                int64_t h) {
    TestErrors all;
    for (uint64_t k = 0; k < 4; ++k) {
        const std::vector<float> x = target.inputs(kChunk, kTestBatches + k);
        const RelativeError one = relative_error(predict(x), target.of(x), h);
        all.errors.push_back(one.error);
        all.cosine_distances.push_back(one.cosine_distance);
    }
    return all;
}

/// What the best linear map leaves: it takes the odd part z/2 of GELU, and of the even part
/// e = E[(z (Φ(z) - 1/2))²], z ~ N(0, 1/4), nothing. ‖Y‖² per number is e + 1/16 + 1 or + 2.
double predicted_linear_error(bool literal) {
    constexpr double kEven = 0.021007;
    return std::sqrt(kEven / (kEven + 1.0 / 16 + (literal ? 2 : 1)));
}

/// The prediction is of wide models, and of a map that knows the target: one fitted to n samples
/// has h / n more squared error, a ridge takes (ridge / n)² of Z and of z/2 from it.
LabCheck linear_claim(int64_t h, double predicted, const TestErrors& linear, int64_t samples,
                      double ridge) {
    constexpr int64_t kWide = 256;
    constexpr double kTolerance = 0.05;
    LabCheck check{fmt::format("error of the linear map, h = {}", h), predicted, linear.error(),
                   kTolerance, accuracy_of(sample_mean(linear.errors))};
    const double share = static_cast<double>(h) / static_cast<double>(samples);
    const double shrunk = ridge / static_cast<double>(samples) / predicted;
    if (h < kWide)
        check.open = fmt::format("predicted for h of {} and more", kWide);
    else if (share > kTolerance / 2)
        check.open = fmt::format("the map is fitted to too few samples: give --linear-samples {}",
                                 std::ceil(2 * static_cast<double>(h) / kTolerance));
    else if (shrunk * shrunk > kTolerance / 2)
        check.open = "the ridge holds the map back: give a smaller --ridge";
    return check;
}

/// That there is a nearer MLP: training that does not find it refutes nothing.
LabCheck mlp_claim(int64_t h, const Errors& errors, int64_t steps) {
    std::vector<double> apart;
    for (size_t k = 0; k < errors.mlp.errors.size(); ++k)
        apart.push_back(errors.mlp.errors[k] - errors.linear.errors[k]);
    LabCheck check{fmt::format("error of the MLP against the best linear map's, h = {}", h),
                   errors.linear.error(),
                   errors.mlp.error(),
                   0,
                   accuracy_of(sample_mean(apart)),
                   LabCheck::Bound::kAtMost};
    if (check.verdict() != LabVerdict::kHolds)
        check.open = fmt::format(
            "{} steps did not bring it nearer: give more --steps, or another "
            "--lr",
            steps);
    return check;
}

/// The best linear map of the target; none where progress says stop.
std::optional<Matrix> best_linear_map(Target& target, int64_t h, int64_t samples, double ridge,
                                      const LabProgress& progress) {
    LinearFit fit(h, h);
    for (int64_t first = 0; first < samples; first += kChunk) {
        const std::vector<float> x =
            target.inputs(std::min(kChunk, samples - first),
                          kLinearBatches + static_cast<uint64_t>(first / kChunk));
        fit.add(x, target.of(x));
        if (!progress(0, fmt::format("h = {}: linear map", h))) return std::nullopt;
    }
    return fit.solve(ridge);
}

struct Training {
    LabSeries errors;  ///< about 200 of them
    int64_t steps = 0;
    bool stopped = false;
};

/// On fresh batches, until its end or until progress says stop.
Training train(MlpStack& mlp, Target& target, int64_t batch, const StackOptimizer& optimizer,
               const LabProgress& progress) {
    const int64_t h = mlp.shape().d_model, steps = optimizer.steps;
    Training made{{fmt::format("h = {}", h), LabSeries::Style::kLine, {}, {}}, 0, false};
    while (made.steps < steps && !made.stopped) {
        const int64_t step = made.steps++;
        const std::vector<float> x = target.inputs(batch, static_cast<uint64_t>(step));
        const double error = std::sqrt(mlp.train_step(x, target.of(x), optimizer));
        if (step % std::max<int64_t>(1, steps / 200) == 0) {
            made.errors.x.push_back(static_cast<double>(step + 1));
            made.errors.y.push_back(error);
        }
        made.stopped =
            !progress(static_cast<double>(step) / static_cast<double>(steps),
                      fmt::format("h = {}: step {} of {}, error {:.4f}", h, step, steps, error));
    }
    return made;
}

/// What was found at every width, as it is shown.
struct Report {
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
    LabSeries linear{"linear map", LabSeries::Style::kColumns, {}, {}};
    LabSeries mlp{"MLP with skip", LabSeries::Style::kColumns, {}, {}};
    std::vector<LabCheck> checks;

    void add(int64_t h, double predicted, const Errors& errors, Training training) {
        const double linear_error = errors.linear.error(), mlp_error = errors.mlp.error();
        table.rows.push_back({h, predicted, linear_error, mlp_error, linear_error / mlp_error,
                              errors.linear.cosine_distance(), errors.mlp.cosine_distance(),
                              training.steps});
        curve.series.push_back(std::move(training.errors));
        linear.x.push_back(static_cast<double>(h));
        linear.y.push_back(linear_error);
        mlp.x.push_back(static_cast<double>(h));
        mlp.y.push_back(mlp_error);
    }

    LabResult result(const std::string& target, bool stopped) {
        LabChart bars{"errors", "h", "relative error", false, false, {}, target + " target"};
        bars.series = {std::move(linear), std::move(mlp)};
        LabResult all;
        all.checks = std::move(checks);
        all.tables.push_back(std::move(table));
        all.charts.push_back(std::move(bars));
        all.charts.push_back(std::move(curve));
        all.stopped = stopped;
        return all;
    }
};

}  // namespace

std::string BasisTransfer::shows() const {
    return "Around an MLP with a skip a change of basis gives GELU(X W1) W2 + X Z; an MLP of the "
           "same shape with a skip comes nearer than the best linear map: twice as near in the "
           "paper, after 20000 steps of 65536 samples, and by default here (5000 steps of 1024). "
           "\"literal\" takes X off once more, as equation 10 is printed.";
}

std::vector<LabOption> BasisTransfer::options() {
    return {{"h", &h_, "Widths; 256,512,768 in the paper", 2, 4096},
            {"target", &target_, "plain or literal", 0, 0, {"plain", "literal"}},
            {"steps", &steps_, "Of training; 20000 in the paper", 1, 1e7},
            {"batch", &batch_, "Fresh samples a step; 65536 in the paper", 1, 1e6},
            {"linear-samples", &linear_samples_, "Of the linear map; 500000 in the paper", 1, 1e9},
            {"optimizer",
             &optimizer_,
             "adamw, the paper's, or muon, which needs far fewer samples",
             0,
             0,
             {"adamw", "muon"}},
            {"lr", &lr_, "Peak rate, by a cosine to 0; 0.005 in the paper", 1e-8, 1},
            {"momentum", &momentum_, "Of muon; adamw has 0.9", 0, 0.9999},
            {"weight-decay", &weight_decay_, "Decoupled; 0.1 in the paper", 0, 10},
            {"grad-clip", &grad_clip_, "Greatest norm of a gradient; 3 in the paper", 1e-6, 1e6},
            {"ridge", &ridge_, "Of the linear map; 1e-6 in the paper", 0, 1e6},
            {"seed", &seed_, "Of target, inputs and the trained MLP", 0, 1e9}};
}

LabResult BasisTransfer::run(const LabProgress& progress) {
    const bool literal = target_ == "literal";
    const auto seed = static_cast<uint64_t>(seed_);
    const StackOptimizer optimizer{lr_,
                                   weight_decay_,
                                   grad_clip_,
                                   steps_,
                                   optimizer_ == "muon" ? StackUpdate::kMuon : StackUpdate::kAdamW,
                                   0.9,
                                   0.999,
                                   momentum_};
    Report report;
    bool stopped = false;
    for (size_t w = 0; w < h_.size() && !stopped; ++w) {
        const int64_t h = h_[w];
        const auto part = [&](double share, const std::string& doing) {
            return progress((static_cast<double>(w) + share) / static_cast<double>(h_.size()),
                            doing);
        };
        Target target(h, literal, seed);
        const std::optional<Matrix> map = best_linear_map(target, h, linear_samples_, ridge_, part);
        stopped = !map;
        if (stopped) break;
        Errors errors;
        errors.linear = test(
            target, [&](const auto& x) { return linear_map(*map, x); }, h);
        MlpStack mlp({h, 4 * h, 1, MlpKind::kGelu, true}, seed + 7919);
        Training training = train(mlp, target, batch_, optimizer, part);
        stopped = training.stopped;
        errors.mlp = test(
            target, [&](const auto& x) { return mlp.forward(x); }, h);
        const double predicted = predicted_linear_error(literal);
        report.checks.push_back(linear_claim(h, predicted, errors.linear, linear_samples_, ridge_));
        report.checks.push_back(mlp_claim(h, errors, training.steps));
        report.add(h, predicted, errors, std::move(training));
    }
    progress(1, "done");
    return report.result(target_, stopped);
}

}  // namespace headroom
