#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/absorb/absorption.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// The MLP of a layer with the identity as its skip.
Mlp layer_mlp(const WeightSource& weights, int64_t layer);

/// Whether the MLP of a layer can take in the skip around it.
struct LayerAbsorption {
    int64_t layer = 0;
    Absorption answer;
    /// Of the MLP on its own input, with the identity around it, whatever stands between.
    Decision mlp_alone = Decision::kUndecided;
};

/// The answer for the block as it stands. With a norm before the MLP it is "impossible" [our
/// remark, for every width and activation]: LayerNorm, RMSNorm and DyT are bounded and so is what
/// follows, while x + MLP(norm(x)) is not; `answer` keeps the numbers of the MLP alone. With
/// several streams of hyper-connections the MLP reads a^T S alone, so the neurons' matrices have
/// rank at most C where the mixing of the streams, R ⊗ I, has more: "no" [our remark to Lemma 4].
/// UserError if the block has no such skip.
LayerAbsorption decide_layer(const WeightSource& weights, int64_t layer,
                             const AbsorptionOptions& options = {});

/// Layers that have a skip around their one MLP, rising; none with experts.
std::vector<int64_t> layers_with_mlp_skip(const ModelConfig& model);

/// The MLPs of all layers one after the other, each with its skip and each without: Jacobians at 0
/// are I and 0 for kinds without a linear part (Corollary 7). REQUIRES: no biases.
Witness stack_witness(const std::vector<Mlp>& mlps);

/// The weights with the MLPs of these layers turned so that their skips are off: an ordinary model,
/// as every number keeps its size and at most changes its sign (and `down`'s biases). UserError
/// naming the layer that cannot.
std::shared_ptr<const WeightSource> without_mlp_skips(std::shared_ptr<const WeightSource> source,
                                                      const std::vector<int64_t>& layers,
                                                      const AbsorptionOptions& options = {});

/// The weights with MLPs in these layers that absorb their skips; `set` as nearest_absorbable,
/// empty: chosen, then not the nearest of all. UserError where no weights could.
std::shared_ptr<const WeightSource> with_absorbable_mlps(std::shared_ptr<const WeightSource> source,
                                                         const std::vector<int64_t>& layers,
                                                         const std::vector<int64_t>& set = {});

}  // namespace headroom
