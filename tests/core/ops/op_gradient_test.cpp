#include <algorithm>
#include <cmath>
#include <span>

#include <gtest/gtest.h>

#include "core/op_cases/op_case_run.h"

// Every gradient rule against central differences, in double, through the differentiator and the
// CPU executor.

namespace headroom {
namespace {

/// The case as a function of its inputs: L = sum over outputs and elements of seed * output.
class CaseFunction {
  public:
    explicit CaseFunction(const OpCase& op_case)
        : graph_(op_case), device_(make_cpu_device()), executor_(device_->prepare(graph_.graph)) {
        step_.seed = 7;
        for (size_t i = 0; i < graph_.inputs.size(); ++i) {
            numbers_.push_back(case_numbers(op_case.inputs[i], 1000 + i));
            write(graph_.inputs[i], numbers_.back());
        }
        CaseInput seed;
        for (size_t i = 0; i < graph_.seeds.size(); ++i) {
            seed.type = graph_.graph.value(graph_.seeds[i]).type;
            seeds_.push_back(case_numbers(seed, 1500 + i));
            write(graph_.seeds[i], seeds_.back());
        }
        differentiable_ = op_case.differentiable_outputs;
        is_loss_ = op_case.is_loss;
        loss_scale_ = op_case.loss_scale;
    }

    const CaseGraph& graph() const { return graph_; }
    std::vector<double>& input(size_t i) { return numbers_[i]; }

    double value(size_t changed) {
        write(graph_.inputs[changed], numbers_[changed]);
        executor_->run(is_loss_ ? Phase::kBackward : Phase::kForward, step_);
        double sum = 0;
        for (size_t n = 0; n < differentiable_.size(); ++n) {
            const std::vector<double> y = read(graph_.outputs[differentiable_[n]]);
            for (size_t e = 0; e < y.size(); ++e)
                sum += is_loss_ ? loss_scale_ * y[e] : seeds_[n][e] * y[e];
        }
        return sum;
    }

    std::vector<double> gradient(size_t i) {
        run();
        return read(graph_.gradients[i]);
    }

  private:
    void run() {
        executor_->run(Phase::kForward, step_);
        executor_->run(Phase::kBackward, step_);
    }
    void write(ValueId id, const std::vector<double>& numbers) {
        const TensorType& type = graph_.graph.value(id).type;
        std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
        from_doubles(numbers, {bytes.data(), type});
        executor_->write(id, bytes);
    }
    std::vector<double> read(ValueId id) const {
        const TensorType& type = graph_.graph.value(id).type;
        std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
        executor_->read(id, bytes);
        return to_doubles({bytes.data(), type});
    }

    CaseGraph graph_;
    std::unique_ptr<Device> device_;
    std::unique_ptr<Executor> executor_;
    StepContext step_;
    std::vector<std::vector<double>> numbers_, seeds_;
    std::vector<size_t> differentiable_;
    bool is_loss_ = false;
    double loss_scale_ = 1.0;
};

/// Four-point central difference, error of order h^4.
double slope(CaseFunction& f, size_t input, size_t element, double h) {
    double& x = f.input(input)[element];
    const double at = x;
    const auto value = [&](double offset) {
        x = at + offset;
        return f.value(input);
    };
    const double result =
        (8.0 * (value(h) - value(-h)) - (value(2.0 * h) - value(-2.0 * h))) / (12.0 * h);
    x = at;
    f.value(input);
    return result;
}

/// Made once: a process that runs one test names all of them first.
const std::vector<OpCase>& gradient_cases() {
    static const std::vector<OpCase> cases = op_cases(DType::kF64, CaseSize::kSmall);
    return cases;
}

class EveryGradient : public testing::TestWithParam<size_t> {};

TEST_P(EveryGradient, MatchesCentralDifferences) {
    const OpCase& c = gradient_cases()[GetParam()];
    CaseFunction f(c);
    for (size_t i = 0; i < c.inputs.size(); ++i) {
        if (!c.inputs[i].differentiate) continue;
        ASSERT_NE(f.graph().gradients[i], kNoValue) << c.name << ": no gradient of input " << i;
        const std::vector<double> gradient = f.gradient(i);
        double largest = 0;
        for (const double g : gradient) largest = std::max(largest, std::abs(g));
        ASSERT_TRUE(std::isfinite(largest));
        // Some elements of each input, spread over it.
        const size_t wanted = gradient.size() > 4096 ? 8 : 40;
        const size_t stride = std::max<size_t>(1, gradient.size() / wanted);
        for (size_t e = 0; e < gradient.size(); e += stride) {
            const double expected = slope(f, i, e, 1e-3);
            const double allowed =
                1e-6 * std::max({std::abs(expected), std::abs(gradient[e]), 1e-3 * largest});
            EXPECT_NEAR(gradient[e], expected, allowed)
                << c.name << ": element " << e << " of " << c.inputs[i].name;
        }
    }
}

/// Indices of the cases with a differentiable input.
std::vector<size_t> differentiable_cases() {
    const std::vector<OpCase>& cases = gradient_cases();
    std::vector<size_t> indices;
    for (size_t i = 0; i < cases.size(); ++i)
        if (std::any_of(cases[i].inputs.begin(), cases[i].inputs.end(),
                        [](const CaseInput& input) { return input.differentiate; }))
            indices.push_back(i);
    return indices;
}

std::string gradient_case_title(const testing::TestParamInfo<size_t>& info) {
    std::string title;
    for (const char letter : gradient_cases()[info.param].name)
        if (std::isalnum(static_cast<unsigned char>(letter)) != 0) title += letter;
    return title;
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryGradient, testing::ValuesIn(differentiable_cases()),
                         gradient_case_title);

}  // namespace
}  // namespace headroom
