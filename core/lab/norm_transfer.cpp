#include "core/lab/norm_transfer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/lab/linear_fit.h"
#include "core/lab/mlp_stack.h"
#include "core/lab/norm_maps.h"
#include "core/lab/random_numbers.h"

namespace headroom {
namespace {

/// f(x) = L^-1(M0 L(x + MLP(x))): the new block's output, skip included; rows.
std::vector<float> wanted_output(const SemiConjugacyMap& map, MlpStack& block,
                                 const std::vector<float>& x, int64_t d) {
    const std::vector<float> before = block.forward(x);
    std::vector<float> wanted(x.size());
    for (size_t row = 0; row < x.size(); row += static_cast<size_t>(d)) {
        const auto first = before.begin() + static_cast<int64_t>(row);
        const std::vector<double> mapped = map.f({first, first + d}, 0);
        std::copy(mapped.begin(), mapped.end(), wanted.begin() + static_cast<int64_t>(row));
    }
    return wanted;
}

std::vector<float> difference(std::vector<float> a, const std::vector<float>& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
    return a;
}

std::vector<float> sum(std::vector<float> a, const std::vector<float>& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
}

/// Makes the MLP compute x (A - I), since GELU(z) - GELU(-z) = z: with its skip, the linear map A.
/// Training then starts from the best linear map, and what it keeps is not what it had no time for.
/// The neurons that this needs not stay as they are drawn, with nothing behind them.
void start_at_linear_map(MlpStack& mlp, const Matrix& a) {
    const int64_t d = mlp.shape().d_model, f = mlp.shape().d_ff;
    std::vector<float>&up = mlp.weights()[0], &down = mlp.weights()[1];
    const auto at = [](int64_t row, int64_t column, int64_t columns) {
        return static_cast<size_t>(row * columns + column);
    };
    std::fill(down.begin(), down.end(), 0.0F);
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j < d; ++j) {
            up[at(i, j, f)] = i == j ? 1.0F : 0.0F;
            up[at(i, d + j, f)] = i == j ? -1.0F : 0.0F;
            const auto change = static_cast<float>(a.at(i, j) - (i == j ? 1 : 0));
            down[at(i, j, d)] = change;
            down[at(d + i, j, d)] = -change;
        }
}

}  // namespace

std::string NormTransfer::shows() const {
    return "Equation 7 is what MLP' must be for LayerNorm's output to change its basis; it is no "
           "MLP, so one of the same shape, trained from the best linear map on, keeps an "
           "error, the smaller the more epsilon smooths the norm.";
}

std::vector<LabOption> NormTransfer::options() {
    return {{"d", &d_, "Width", 2, 1024},
            {"ratio", &ratio_, "Neurons over width", 1, 64},
            {"eps", &eps_, "Epsilon of LayerNorm; inputs are N(0, I)", 1e-12, 1e6},
            {"steps", &steps_, "Of training", 1, 1e7},
            {"batch", &batch_, "Fresh samples a step", 1, 1e6},
            {"lr", &lr_, "Peak rate of AdamW, by a cosine to 0", 1e-8, 1},
            {"seed", &seed_, "Of maps, inputs and training", 0, 1e9}};
}

LabResult NormTransfer::run(const LabProgress& progress) {
    constexpr int64_t kTest = 2048, kLinear = 20000;
    const auto seed = static_cast<uint64_t>(seed_) * 15485863;
    const Matrix theta = normal_matrix("theta", seed, d_, d_);
    const StackShape shape{d_, ratio_ * d_, 1, MlpKind::kGelu, true};
    const bool starts_linear = ratio_ >= 2;  // it takes two neurons for each number
    LabResult result;
    LabTable table{"errors of x + MLP'(x)", {"eps", "linear map", "trained MLP'"}, {}};
    LabSeries linear_curve{"best linear map", LabSeries::Style::kLine, {}, {}},
        mlp_curve{"trained MLP'", LabSeries::Style::kLine, {}, {}};
    for (size_t e = 0; e < eps_.size() && !result.stopped; ++e) {
        const double eps = eps_[e];
        const SemiConjugacyMap map = semi_conjugacy_map(LabNorm::kLayerNorm, theta, eps);
        MlpStack block(shape, seed);
        const auto inputs = [&](int64_t rows, uint64_t batch) {
            return normal_floats("x", seed + (batch << 20), rows, d_);
        };
        const std::vector<float> x_fit = inputs(kLinear, 1), x_test = inputs(kTest, 2);
        const std::vector<float> y_test = wanted_output(map, block, x_test, d_);
        LinearFit fit(d_, d_);
        fit.add(x_fit, wanted_output(map, block, x_fit, d_));
        const Matrix best = fit.solve(1e-6);
        const double linear = relative_error(linear_map(best, x_test), y_test, d_).error;

        StackShape without = shape;
        without.skip = false;
        MlpStack mlp(without, seed + 1);
        if (starts_linear) start_at_linear_map(mlp, best);
        const StackOptimizer optimizer{lr_, 0, 3.0, steps_};
        for (int64_t step = 0; step < steps_ && !result.stopped; ++step) {
            const std::vector<float> x = inputs(batch_, 3 + static_cast<uint64_t>(step));
            mlp.train_step(x, difference(wanted_output(map, block, x, d_), x), optimizer);
            result.stopped = !progress(
                (static_cast<double>(e) + static_cast<double>(step) / static_cast<double>(steps_)) /
                    static_cast<double>(eps_.size()),
                fmt::format("eps = {:g}: step {}", eps, step));
        }
        if (result.stopped) break;
        const double trained = relative_error(sum(mlp.forward(x_test), x_test), y_test, d_).error;
        table.rows.push_back({eps, linear, trained});
        if (starts_linear)
            result.checks.push_back(
                {fmt::format("MLP' comes nearer than the linear map at ε = {:g} (1 = yes)", eps), 1,
                 trained < linear ? 1.0 : 0.0, 0});
        for (auto [curve, error] : {std::pair{&linear_curve, linear}, {&mlp_curve, trained}}) {
            curve->x.push_back(eps);
            curve->y.push_back(error);
        }
    }
    result.tables.push_back(std::move(table));
    result.charts.push_back({"errors",
                             "epsilon",
                             "relative error of x + MLP'(x)",
                             true,
                             true,
                             {std::move(linear_curve), std::move(mlp_curve)},
                             fmt::format("d = {}, GELU, {} neurons, {} steps{}", d_, ratio_ * d_,
                                         steps_, starts_linear ? " from the linear map" : "")});
    progress(1, "done");
    return result;
}

}  // namespace headroom
