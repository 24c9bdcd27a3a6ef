#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/probe/probe_pass.h"
#include "tests/core/model/forward_pass.h"
#include "tests/support/made_weights.h"

namespace headroom {

/// A float64 pass of `model` with these weights over these tokens.
inline ProbePass probe_run(const ModelConfig& model, const ProbeTaps& taps, const Weights& weights,
                           const std::vector<int32_t>& tokens, int64_t batch_size) {
    const std::unique_ptr<Device> device = make_cpu_device();
    const auto length = static_cast<int64_t>(tokens.size()) / batch_size;
    ProbePass pass(model, {batch_size, length, DType::kF64}, taps, *device);
    pass.load(MadeWeights(model, [&](const std::string& name) { return weights.at(name); }));
    pass.run(tokens);
    return pass;
}

}  // namespace headroom
