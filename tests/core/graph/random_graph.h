#pragma once

#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/autodiff/differentiate.h"
#include "core/ops/activation.h"
#include "core/ops/add.h"
#include "core/ops/dropout.h"
#include "core/ops/linear.h"
#include "core/ops/norm.h"

namespace headroom {

/// A graph of random operators on [3, 4] values in float64, any of which may be read again.
struct RandomGraph {
    Graph graph;
    std::vector<ValueId> inputs;  ///< two values and a weight matrix
    ValueId output = kNoValue;

    explicit RandomGraph(uint32_t seed, int nodes = 14) {
        const TensorType type{DType::kF64, {3, 4}};
        inputs = {graph.add_value("x", type, Role::kInput),
                  graph.add_value("y", type, Role::kInput),
                  graph.add_value("w", {DType::kF64, {4, 4}}, Role::kParameter)};
        const ValueId gain = graph.add_value("gain", {DType::kF64, {4}}, Role::kParameter);
        inputs.push_back(gain);
        std::vector<ValueId> made = {inputs[0], inputs[1]};
        std::mt19937 random(seed);
        const auto any = [&] { return made[random() % made.size()]; };
        for (int n = 0; n < nodes; ++n) {
            const std::string name = fmt::format("v{}", n);
            const auto apply = [&](OpPtr op, std::vector<ValueId> in) {
                made.push_back(graph.apply1(Phase::kForward, std::move(op), std::move(in), name));
            };
            switch (random() % 6) {
                case 0:
                    apply(std::make_shared<Linear>(), {any(), inputs[2]});
                    break;
                case 1:
                    apply(std::make_shared<Activation>(ActivationKind::kGelu), {any()});
                    break;
                case 2:
                    apply(std::make_shared<GatedActivation>(ActivationKind::kSilu), {any(), any()});
                    break;
                case 3:
                    apply(std::make_shared<Dropout>(0.3, static_cast<uint64_t>(n)), {any()});
                    break;
                case 4:
                    made.push_back(graph.apply(Phase::kForward, std::make_shared<RmsNorm>(1e-2),
                                               {any(), gain},
                                               {name, fmt::format("v{}.rstd", n)})[0]);
                    break;
                default:
                    apply(std::make_shared<Add>(), {any(), any()});
            }
        }
        output = made.back();
    }
};

}  // namespace headroom
