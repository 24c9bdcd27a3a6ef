#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/config/model_config.h"

namespace headroom {

/// What a parameter does, for counts by role and for the optimizer's groups.
enum class ParameterRole {
    kEmbedding,  ///< of tokens; the class token of images
    kPosition,
    kPatch,  ///< what makes a row of a patch
    kNorm,
    kQuery,
    kKey,
    kValue,
    kLatent,  ///< MLA: the projections that keys and values share
    kOutput,
    kMlp,
    kRouter,     ///< chooses among the experts of an MLP
    kMixing,     ///< lambdas of values and the weights of hyper-connections
    kAveraging,  ///< DenseFormer's weights of earlier layers
    kHead
};
std::string_view name_of(ParameterRole role);

/// One weight tensor of a model. Matrices are [in, out], embedding tables [rows, d_model].
struct ParameterSpec {
    std::string name;  ///< as in the checkpoint, e.g. "h.3.attn.v.weight"
    Shape shape;
    ParameterRole role = ParameterRole::kMlp;
    int layer = -1;  ///< 0-based; -1 for tensors outside the blocks
    /// Initial values: N(0, init_std^2), or, where init_std is 0, init_values if given in full,
    /// else the constant init_value.
    double init_std = 0.0;
    double init_value = 1.0;
    std::vector<double> init_values{};
    int expert = -1;  ///< of the layer's MLP, 0-based; -1 for what every token uses

    /// A matrix that activations are multiplied with: what FLOPs count. Not a table of
    /// mixing weights.
    bool is_matrix() const { return shape.size() >= 2 && role != ParameterRole::kMixing; }

    int64_t count() const { return count_of(shape); }
};

/// Whether one token uses the tensor. As experts are alike, those numbered below top_k stand for
/// the ones that a token is given to.
inline bool is_active(const ModelConfig& model, const ParameterSpec& spec) {
    return spec.expert < 0 || spec.expert < model.mlp_top_k.at(spec.layer);
}

/// Every weight of a model, in the order of the forward pass: the one place that knows which
/// tensors a configuration has. Counts, checkpoints, initialisation, the graph and the optimizer
/// all follow from it. vocab_size must be known. Initial deviations: init_std, and
/// init_std / sqrt(2 n_layer) for attn.o and mlp.down when init_residual_scale is set (nanoGPT).
std::vector<ParameterSpec> parameter_specs(const ModelConfig& model);

}  // namespace headroom
