#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/autodiff/differentiate.h"
#include "core/device/device.h"
#include "core/op_cases/op_case_run.h"

namespace headroom {

/// Reads and writes values of an executor as doubles.
class Values {
  public:
    explicit Values(Executor& executor) : executor_(executor) {}

    void write(ValueId id, const std::vector<double>& numbers) {
        const TensorType& type = executor_.graph().value(id).type;
        std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
        from_doubles(numbers, {bytes.data(), type});
        executor_.write(id, bytes);
    }
    std::vector<double> read(ValueId id) const {
        const TensorType& type = executor_.graph().value(id).type;
        std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
        executor_.read(id, bytes);
        return to_doubles({bytes.data(), type});
    }

  private:
    Executor& executor_;
};

/// Differentiates sum(seed * output) for random seeds and compares the gradient of each value of
/// `inputs` with four-point central differences. A value on which the output does not depend must
/// have no gradient, or one of zero.
inline void expect_right_gradients(Graph& graph, const std::vector<ValueId>& inputs,
                                   ValueId output) {
    const ValueId seed = graph.add_value("seed", graph.value(output).type, Role::kInput);
    graph.keep(output);
    const auto gradients = differentiate(graph, {{output, seed}}, inputs);
    const auto device = make_cpu_device();
    const auto executor = device->prepare(graph);
    Values values(*executor);
    const StepContext step{.seed = 5};
    const auto numbers_of = [&](ValueId id, uint64_t stream) {
        CaseInput input;
        input.type = graph.value(id).type;
        return case_numbers(input, stream);
    };
    const std::vector<double> seeds = numbers_of(seed, 100);
    values.write(seed, seeds);
    for (size_t i = 0; i < inputs.size(); ++i) values.write(inputs[i], numbers_of(inputs[i], i));
    const auto loss = [&] {
        executor->run(Phase::kForward, step);
        const std::vector<double> y = values.read(output);
        double sum = 0;
        for (size_t e = 0; e < y.size(); ++e) sum += seeds[e] * y[e];
        return sum;
    };
    loss();
    executor->run(Phase::kBackward, step);
    EXPECT_EQ(values.read(seed), seeds) << "the seed belongs to the caller";
    std::vector<std::vector<double>> found;
    for (const ValueId id : inputs)
        found.push_back(gradients.contains(id) ? values.read(gradients.at(id))
                                               : std::vector<double>(numbers_of(id, 0).size(), 0));
    for (size_t i = 0; i < inputs.size(); ++i) {
        std::vector<double> x = numbers_of(inputs[i], i);
        for (size_t e = 0; e < x.size(); ++e) {
            const double at = x[e], h = 1e-3;
            const auto moved = [&](double offset) {
                x[e] = at + offset;
                values.write(inputs[i], x);
                return loss();
            };
            const double slope =
                (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
            moved(0.0);
            EXPECT_NEAR(found[i][e], slope, 1e-6 * std::max(1.0, std::abs(slope)))
                << graph.value(inputs[i]).name << " element " << e;
        }
    }
}

}  // namespace headroom
