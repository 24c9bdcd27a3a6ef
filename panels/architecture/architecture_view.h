#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/model_config.h"
#include "panels/wiring/wiring_view.h"

namespace headroom {

/// What a layer takes from one other layer: how many of its heads, and with what weight.
struct LayerShare {
    int layer = 0;
    int heads = 0;
    double weight = 1;    ///< of the first such head
    bool uniform = true;  ///< the same weight for all of them
    SourceWeight learned = SourceWeight::kFixed;

    bool operator==(const LayerShare&) const = default;
};

/// The keys or the values that one layer attends with.
struct LaneFacts {
    std::vector<HeadRole> heads;     ///< by key/value head, as the layer reads them
    int projected = 0;               ///< heads that the layer projects itself
    std::vector<LayerShare> shares;  ///< from other layers, ascending
    LayerShare own_part{-1};         ///< of the heads that are mixed with other layers'

    /// Every head is the same weighted sum of its own and the same head of one other layer.
    bool is_mixture() const;

    bool operator==(const LaneFacts&) const = default;
};

/// Latent attention: coordinates of one layer's latent, own ones first.
struct LatentFacts {
    int64_t width = 0;
    int64_t own = 0;
    int source = -1;  ///< layer of the rest; -1 where all are own

    bool operator==(const LatentFacts&) const = default;
};

struct LayerFacts {
    LayerChoices choices;  ///< its maps, MLP and skips
    LaneFacts keys, values;
    std::optional<LatentFacts> latent;  ///< keys and values then say nothing
    /// DenseFormer: the streams that the average after this block sums, 0 = the embedding, j = the
    /// output of block j (counted from 1), ascending. Empty where nothing is averaged.
    std::vector<int> averaged;
    int kind = 0;          ///< index into ArchitectureView::kinds
    bool changed = false;  ///< differs from the same layer of the model that it is compared with
};

/// Layers that look alike: the same maps, MLP, skips and projections, and what is reused comes from
/// the same layer, or from as many layers before.
struct LayerKind {
    std::vector<int> layers;   ///< 0-based, ascending
    bool by_distance = false;  ///< sources differ, but lie equally far back
};

/// A model as a picture shows it: pure data, no places yet.
struct ArchitectureView {
    std::string title;
    ModelConfig model;
    std::vector<LayerFacts> layers;
    std::vector<LayerKind> kinds;
    std::string note;  ///< small print: layers, parameters, cache

    bool empty() const { return layers.empty(); }
};

/// Everything follows from the configuration. vocab_size may be unknown (0).
ArchitectureView build_architecture(const ModelConfig& model, std::string title);

/// Marks the layers of `view` that are not as in `other`, which become kinds of their own.
void mark_changed_layers(ArchitectureView& view, const ArchitectureView& other);

/// The kind that is worth showing in detail: one that is marked as changed before others, one that
/// reuses something before others, and then the most common one.
int telling_kind(const ArchitectureView& view);

/// "Layer 0", "Layers 1–11", "Layers 1, 3, …, 11": counted from 0, as everywhere.
std::string name_layers(const std::vector<int>& layers);

}  // namespace headroom
