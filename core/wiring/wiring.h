#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headroom {

/// Whether the weight of a source is a number or follows the learned scalar of the reading layer
/// (h.{i}.attn.lambda, one for its keys and values).
enum class SourceWeight : uint8_t { kFixed, kLambda, kOneMinusLambda };

/// What a learned lambda starts with.
inline constexpr double kInitialLambda = 0.5;

/// One contribution to the key or value that a head reads: `weight` times head `head` of the keys
/// or values that layer `layer` itself projects. Layers and heads are 0-based. Of a learned weight,
/// `weight` is what it starts with.
struct HeadSource {
    int layer = 0;
    int head = 0;
    double weight = 1.0;
    SourceWeight learned = SourceWeight::kFixed;

    bool operator==(const HeadSource&) const = default;
};

/// What one head reads: the weighted sum of a short list. Empty means zero (SkipV0).
using HeadSources = std::vector<HeadSource>;

/// What the latent of a layer consists of (latent attention): its first `own` coordinates the layer
/// projects and keeps itself, the `shared` ones behind are those with the same numbers of layer
/// `source`.
struct LatentSharing {
    int64_t own = 0;
    int64_t shared = 0;
    int source = 0;  ///< the layer itself where nothing is shared

    bool operator==(const LatentSharing&) const = default;
};

/// Head wiring: for every layer and every key/value head, where its key and its value come from.
/// This one table decides which projections exist (parameters), what decoding caches (the distinct
/// sources), what the architecture picture shows and what the graph builder emits.
///
/// keys[layer][g] and values[layer][g] are indexed by the key/value head g, 0 <= g < n_kv_head;
/// query head h reads g = floor(h * n_kv_head / n_head).
struct Wiring {
    int n_layer = 0;
    int n_head = 0;
    int n_kv_head = 0;
    std::vector<std::vector<HeadSources>> keys;
    std::vector<std::vector<HeadSources>> values;
    /// Heads that each layer projects itself (its own columns of W_K and W_V / d_head).
    std::vector<int> own_key_heads;
    std::vector<int> own_value_heads;
    /// Latent attention, one entry for each layer; empty without. There the heads of a layer are
    /// made of its latent: the tables above say that each layer's are its own.
    std::vector<LatentSharing> latents;

    bool operator==(const Wiring&) const = default;
};

/// The keys of the model section that choose a wiring by mechanism.
struct WiringChoice {
    std::string value_source = "own";  ///< a rule of source_rules.h
    std::string key_source = "own";
    int64_t skip_layer = 1;         ///< 1-based source layer of SkipVk; 0 = SkipV0
    double skip_ratio = 0.5;        ///< injected heads = floor(skip_ratio * n_kv_head)
    std::string inject = "concat";  ///< concat pool dynamic oddeven; for values only
    bool skip_res = false;          ///< skip: own values are mixed with the source layer's too
    int64_t cla_factor = 2;
    int64_t yoco_split = 0;  ///< layers that own their K and V; 0 = n_layer / 2 (at least 1)
    double res_lambda = 0.5;
    bool res_lambda_learned = false;  ///< one scalar per layer

    bool operator==(const WiringChoice&) const = default;
};

/// Builds the table for a choice, own heads included. Throws UserError naming the key if the choice
/// is impossible. A source whose weight is 0 is left out, so ResFormer with lambda 0 is SVFormer.
/// [SV-3, SV-C] Wu et al., "Improving model representation and reducing KV cache via skip
/// connections with first value heads".
/// `latent_width` is d_c of latent attention, whose latents are shared in place of heads (skip: the
/// last floor(skip_ratio d_c) coordinates come from the source layer), or 0.
Wiring build_wiring(const WiringChoice& choice, int n_layer, int n_head, int n_kv_head,
                    int64_t latent_width = 0);

/// Injected heads of the skip mechanism: floor(skip_ratio * n_kv_head).
int n_skip_heads(const WiringChoice& choice, int n_kv_head);

/// Throws UserError naming `model.wiring.keys[l][g]` (or values) unless the tables have the right
/// size, every source is from the same or an earlier layer, every source head is projected by its
/// layer, no source stands twice in a list, weights are finite and not 0, and every projected head
/// is read; latents of one width, of layers that project what is read.
void check_wiring(const Wiring& wiring);

/// Throws UserError unless the counts are positive, not absurdly large and n_kv_head divides
/// n_head.
void check_wiring_size(int64_t n_layer, int64_t n_head, int64_t n_kv_head);

/// True if a head of `layer` has a source with a learned weight: the layer has a lambda.
bool learns_lambda(const Wiring& wiring, int layer);

/// Fills own_key_heads and own_value_heads from the tables (largest head read from a layer, + 1).
void derive_own_heads(Wiring& wiring);

}  // namespace headroom
