#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/config/model_config.h"
#include "core/graph/tensor.h"

namespace headroom {

/// What a parameter does, for counts by role and for the optimizer's groups.
enum class ParameterRole {
    kEmbedding,
    kPosition,
    kNorm,
    kQuery,
    kKey,
    kValue,
    kLatent,  ///< MLA: the projections that keys and values share
    kOutput,
    kMlp,
    kMixing,  ///< weights of averages over layers or values
    kHead
};
std::string_view name_of(ParameterRole role);

/// One weight tensor of a model. Matrices are [in, out], embedding tables [rows, d_model].
struct ParameterSpec {
    std::string name;  ///< as in the checkpoint, e.g. "h.3.attn.v.weight"
    Shape shape;
    ParameterRole role = ParameterRole::kMlp;
    int layer = -1;  ///< 0-based; -1 for tensors outside the blocks
    /// Initial values: N(0, init_std^2), or the constant init_value where init_std is 0.
    double init_std = 0.0;
    double init_value = 1.0;

    int64_t count() const { return count_of(shape); }
};

/// Every weight of a model, in the order of the forward pass: the one place that knows which
/// tensors a configuration has. Counts, checkpoints, initialisation, the graph and the optimizer
/// all follow from it. Lists models too that check_supported refuses, so that they can be counted.
/// vocab_size must be known. Initial deviations: nanoGPT (0.02, and
/// 0.02/sqrt(2 n_layer) for attn.o and mlp.down when init_residual_scale is set).
std::vector<ParameterSpec> parameter_specs(const ModelConfig& model);

}  // namespace headroom
