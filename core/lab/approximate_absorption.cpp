#include "core/lab/approximate_absorption.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/absorb/absorption.h"
#include "core/absorb/nearest_absorbable.h"
#include "core/base/error.h"
#include "core/config/enum_names.h"
#include "core/lab/linear_fit.h"
#include "core/lab/mlp_stack.h"
#include "core/lab/random_numbers.h"

namespace headroom {
namespace {

/// Every block becomes the nearest one that absorbs its skip.
void make_absorbable(MlpStack& stack) {
    const auto [d, f] = std::pair(stack.shape().d_model, stack.shape().d_ff);
    auto& weights = stack.weights();
    for (size_t block = 0; block < weights.size(); block += 2) {
        Mlp mlp;
        mlp.kind = stack.shape().kind;
        mlp.up = Matrix(d, f, {weights[block].begin(), weights[block].end()});
        mlp.down = Matrix(f, d, {weights[block + 1].begin(), weights[block + 1].end()});
        mlp.skip = identity_matrix(d);
        const std::vector<double> down = nearest_absorbable(mlp).mlp.down.values;
        weights[block + 1].assign(down.begin(), down.end());
    }
}

/// The set of the theorem turned, the skip off.
double absorbed_error(const MlpStack& with_skip, const std::vector<float>& x,
                      const std::vector<float>& y) {
    StackShape shape = with_skip.shape();
    shape.skip = false;
    MlpStack bare(shape, 0);
    MlpStack source = with_skip;
    for (size_t block = 0; block < source.weights().size(); block += 2) {
        Mlp mlp;
        mlp.kind = shape.kind;
        mlp.stored = StoredType::kF32;
        mlp.up = Matrix(shape.d_model, shape.d_ff,
                        {source.weights()[block].begin(), source.weights()[block].end()});
        mlp.down = Matrix(shape.d_ff, shape.d_model,
                          {source.weights()[block + 1].begin(), source.weights()[block + 1].end()});
        mlp.skip = identity_matrix(shape.d_model);
        const Absorption answer = decide_absorption(mlp);
        if (answer.decision != Decision::kYes) return std::nan("");
        const Mlp turned = absorbed(mlp, answer);
        bare.weights()[block].assign(turned.up.values.begin(), turned.up.values.end());
        bare.weights()[block + 1].assign(turned.down.values.begin(), turned.down.values.end());
    }
    return relative_error(bare.forward(x), y, shape.d_model).error;
}

}  // namespace

std::string ApproximateAbsorption::shows() const {
    return "Random blocks with a skip cannot be written without it at their width; trained blocks "
           "without one come as near as the numbers say, beside the best linear map. Blocks made "
           "absorbable (structure = absorbable) are met exactly by turning signs.";
}

std::vector<LabOption> ApproximateAbsorption::options() {
    std::vector<std::string> activations = spellings<MlpKind>();
    activations.insert(activations.begin(), "all");
    return {{"d", &d_, "Widths", 2, 4096},
            {"depth", &depth_, "Blocks in a row", 1, 64},
            {"ratio", &ratio_, "Neurons over width", 1, 64},
            {"activation", &activation_, "One activation, or all", 0, 0, activations},
            {"structure",
             &structure_,
             "Weights of the blocks: random, or absorbable",
             0,
             0,
             {"random", "absorbable"}},
            {"steps", &steps_, "Of training", 1, 1e7},
            {"batch", &batch_, "Fresh N(0, I) samples a step", 1, 1e6},
            {"lr", &lr_, "Peak rate of AdamW, by a cosine to 0", 1e-8, 1},
            {"seed", &seed_, "Of blocks, inputs and training", 0, 1e9}};
}

std::vector<ApproximateAbsorption::Case> ApproximateAbsorption::cases() const {
    std::vector<Case> cases;
    for (const std::string& name : spellings<MlpKind>()) {
        const MlpKind kind = value_of<MlpKind>(name);
        if (activation_ != "all" && activation_ != name) continue;
        if (absorbable() && !absorbs_skips(kind)) continue;
        for (const int64_t d : d_)
            for (const int64_t depth : depth_) cases.push_back({d, depth, kind});
    }
    return cases;
}

std::optional<ApproximateAbsorption::Errors> ApproximateAbsorption::measure(
    const Case& one, const LabProgress& progress) const {
    constexpr int64_t kTest = 4096, kLinear = 20000;
    const auto seed = static_cast<uint64_t>(seed_) * 7919;
    const auto inputs = [&](int64_t rows, uint64_t batch) {
        return normal_floats("x", seed + (batch << 20), rows, one.d);
    };
    StackShape shape{one.d, ratio_ * one.d, one.depth, one.kind, true};
    MlpStack target(shape, seed);
    if (absorbable()) make_absorbable(target);
    LinearFit fit(one.d, one.d);
    const std::vector<float> x_fit = inputs(kLinear, 1), x_test = inputs(kTest, 2);
    fit.add(x_fit, target.forward(x_fit));
    const std::vector<float> y_test = target.forward(x_test);
    Errors errors;
    errors.linear = relative_error(linear_map(fit.solve(1e-6), x_test), y_test, one.d).error;

    shape.skip = false;
    MlpStack model(shape, seed + 1);
    const StackOptimizer optimizer{lr_, 0, 3.0, steps_};
    for (int64_t step = 0; step < steps_; ++step) {
        const std::vector<float> x = inputs(batch_, 3 + static_cast<uint64_t>(step));
        model.train_step(x, target.forward(x), optimizer);
        if (!progress(static_cast<double>(step) / static_cast<double>(steps_),
                      fmt::format("{}, d = {}, depth {}: step {}", spelling(one.kind), one.d,
                                  one.depth, step)))
            return std::nullopt;
    }
    errors.trained = relative_error(model.forward(x_test), y_test, one.d).error;
    errors.turned = absorbable() ? absorbed_error(target, x_test, y_test) : std::nan("");
    return errors;
}

/// The series of that name, which begins with it.
static LabSeries& series_of(LabChart& chart, const std::string& name) {
    auto found = std::find_if(chart.series.begin(), chart.series.end(),
                              [&](const LabSeries& one) { return one.name == name; });
    if (found == chart.series.end())
        found = chart.series.insert(found, {name, LabSeries::Style::kColumns, {}, {}});
    return *found;
}

/// Columns beside each other at every activation: each width has a chart.
LabChart& ApproximateAbsorption::chart_of(int64_t d, LabResult& result) const {
    const std::string name = d_.size() == 1 ? "errors" : fmt::format("errors-d{}", d);
    for (LabChart& chart : result.charts)
        if (chart.name == name) return chart;
    result.charts.push_back(
        {name,
         "activation",
         "relative error",
         false,
         false,
         {},
         fmt::format("d = {}, {} blocks, residual-free blocks of the same width, {} steps", d,
                     structure_, steps_)});
    return result.charts.back();
}

void ApproximateAbsorption::add(const Case& one, const Errors& errors, LabResult& result) const {
    const std::string name(spelling(one.kind));
    result.tables.front().rows.push_back(
        {name, one.d, one.depth, errors.linear, errors.trained, errors.turned});
    if (absorbable())
        result.checks.push_back(
            {fmt::format("{}, d = {}, depth {}: error with signs turned", name, one.d, one.depth),
             0, errors.turned, 1e-4});
    LabChart& chart = chart_of(one.d, result);
    if (chart.x_names.empty() || chart.x_names.back() != name) chart.x_names.push_back(name);
    const auto place = static_cast<double>(chart.x_names.size());
    for (const auto& [line, error] : {std::pair("best linear map", errors.linear),
                                      std::pair("trained without skip", errors.trained)}) {
        LabSeries& series = series_of(chart, fmt::format("{}, depth {}", line, one.depth));
        series.x.push_back(place);
        series.y.push_back(error);
    }
}

LabResult ApproximateAbsorption::run(const LabProgress& progress) {
    LabResult result;
    result.tables.push_back(
        {"errors",
         {"activation", "d", "depth", "linear map", "trained without skip", "signs turned"},
         {}});
    const std::vector<Case> all = cases();
    if (all.empty())
        throw UserError(fmt::format("--activation {} absorbs its skip for no weights", activation_),
                        "take relu, gelu or silu, or --structure random");
    for (size_t c = 0; c < all.size() && !result.stopped; ++c) {
        const auto part = [&](double share, const std::string& doing) {
            return progress((static_cast<double>(c) + share) / static_cast<double>(all.size()),
                            doing);
        };
        const std::optional<Errors> errors = measure(all[c], part);
        result.stopped = !errors;
        if (errors) add(all[c], *errors, result);
    }
    progress(1, "done");
    return result;
}

}  // namespace headroom
