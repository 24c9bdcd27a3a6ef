#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/per_layer.h"
#include "core/wiring/wiring.h"

namespace headroom {

enum class NormKind { kLayerNorm, kRmsNorm, kDyT, kNone };
enum class Positions { kLearned, kRope, kNone };
enum class RopeStyle { kHalf, kInterleaved };
enum class MlpKind { kGelu, kGeluTanh, kRelu, kRelu2, kSilu, kSwiglu, kGeglu, kReglu };
enum class QueryMap { kLinear, kIdentity, kResidual, kNonlinear };
enum class Projection { kLinear, kIdentity };
enum class ValueMap { kLinear, kIdentity, kNonlinear };
enum class Topology { kSerial, kParallel };
/// Whether attention and MLP of a parallel block read one norm or each its own.
enum class ParallelNorm { kShared, kSeparate };
enum class HyperKind { kNone, kHc, kMhc };
/// What a model reads: the tokens of a text, or a picture cut into patches.
enum class InputKind { kTokens, kImages };
/// Which position of a picture its class is told from: a class token of its own before the patches,
/// or the mean of all.
enum class Pooling { kClassToken, kMean };

/// Colours of a picture: red, green and blue.
inline constexpr int64_t kImageChannels = 3;
inline constexpr int64_t kLargestImage = 4096;      ///< pixels of a side
inline constexpr int64_t kMostPositions = 1 << 20;  ///< of a sequence
inline constexpr int64_t kMostExperts = 256;        ///< of a layer

constexpr bool is_gated(MlpKind kind) {
    return kind == MlpKind::kSwiglu || kind == MlpKind::kGeglu || kind == MlpKind::kReglu;
}

/// Latent attention: widths of the latent, of the shared rotary key, and of one head's content key
/// and value.
struct MlaConfig {
    int64_t d_c = 256;
    int64_t d_r = 32;
    int64_t d_nope = 64;
    int64_t d_v = 64;

    bool operator==(const MlaConfig&) const = default;
};

/// What one layer does, of all that may differ by layer.
struct LayerChoices {
    QueryMap query = QueryMap::kLinear;
    Projection key = Projection::kLinear;
    ValueMap value = ValueMap::kLinear;
    Projection out_proj = Projection::kLinear;
    MlpKind mlp = MlpKind::kGelu;
    bool skip_attn = true;
    bool skip_mlp = true;
    NormKind norm = NormKind::kLayerNorm;
    int64_t experts = 1;
    int64_t top_k = 1;

    bool operator==(const LayerChoices&) const = default;
};

/// What a model's vocabulary counts as where nothing says it: that of bytes, or the ten classes of
/// CIFAR-10.
inline constexpr int64_t kByteVocabulary = 256, kUsualClasses = 10;

/// One model, fully resolved: every default of the base and of the architecture is filled in.
/// The keys, their defaults and their meaning are those of the architecture reference; the JSON
/// spelling of each field is its name here. Dimensions have one spelling in the whole program.
struct ModelConfig {
    std::string arch = "gpt2";  ///< the preset that filled the defaults; a label from then on
    std::string base = "gpt2";

    int64_t n_layer = 12;
    int64_t n_head = 12;
    int64_t n_kv_head = 12;
    int64_t d_model = 768;
    int64_t d_head = 64;
    int64_t d_ff = 3072;
    /// Of images the number of classes. 0 in a job: taken from the data when training starts.
    int64_t vocab_size = 50304;
    int64_t block_size = 1024;  ///< longest sequence; rows of wpe for learned positions

    InputKind input = InputKind::kTokens;
    int64_t image_size = 32;  ///< pixels of a picture's side
    int64_t patch_size = 4;   ///< pixels of a patch's side, a divisor of image_size
    Pooling pooling = Pooling::kClassToken;

    PerLayer<NormKind> norm = NormKind::kLayerNorm;
    NormKind norm_f = NormKind::kLayerNorm;
    double norm_eps = 1e-5;

    Positions pos = Positions::kLearned;
    double rope_theta = 10000.0;
    RopeStyle rope_style = RopeStyle::kHalf;
    int64_t rope_dim = 64;  ///< rotated columns of each head, its first

    PerLayer<MlpKind> mlp = MlpKind::kGelu;
    PerLayer<int64_t> mlp_experts = 1;  ///< MLPs that a router chooses among; 1: no router
    PerLayer<int64_t> mlp_top_k = 1;    ///< of them so many compute each token
    double mlp_capacity = 0;            ///< places of an expert over its even share; 0: any number
    double mlp_balance = 0.01;          ///< factor of the balance loss
    double mlp_z = 0;                   ///< factor of the loss of the router's logits
    bool tie = true;
    bool bias = false;   ///< of every projection and every LayerNorm (OpenAI's GPT-2)
    bool causal = true;  ///< false: no mask, an encoder
    PerLayer<QueryMap> query = QueryMap::kLinear;
    PerLayer<Projection> key = Projection::kLinear;
    PerLayer<ValueMap> value = ValueMap::kLinear;
    PerLayer<Projection> out_proj = Projection::kLinear;
    double attn_scale = 0.125;  ///< factor on the raw scores, resolved (1/sqrt(d_head), halved …)

    bool qk_norm = false;
    double qk_norm_eps = 1e-6;
    int64_t nq_rank = 384;  ///< hidden width of the nonlinear query
    int64_t nv_rank = 384;  ///< the same of the nonlinear value

    Topology topology = Topology::kSerial;
    ParallelNorm parallel_norm = ParallelNorm::kShared;
    PerLayer<bool> skip_attn = true;
    PerLayer<bool> skip_mlp = true;
    bool share_layers = false;
    bool dense = false;  ///< DenseFormer averaging
    int64_t dwa_dilation = 1;
    int64_t dwa_period = 1;
    HyperKind hyper = HyperKind::kNone;  ///< hyper-connections in place of the residual stream
    int64_t n_stream = 1;                ///< their number of streams
    std::optional<MlaConfig> mla;
    double init_std = 0.02;  ///< deviation of every initial matrix and embedding
    bool init_residual_scale = true;

    /// The wiring keys as written (value_source, skip_ratio, …), kept to write the job back out.
    WiringChoice wiring_choice;
    /// The wiring was given as a table; wiring_choice then only waits for the table's removal.
    bool custom_wiring = false;
    /// Where every head's key and value come from; built from wiring_choice or given by the user.
    Wiring wiring;

    bool reads_images() const { return input == InputKind::kImages; }
    bool has_class_token() const { return reads_images() && pooling == Pooling::kClassToken; }
    /// Of a picture. REQUIRES: reads_images().
    int64_t n_patch() const { return (image_size / patch_size) * (image_size / patch_size); }
    /// Numbers in a patch.
    int64_t patch_width() const { return kImageChannels * patch_size * patch_size; }
    /// Of a picture, which is block_size: its patches and the class token.
    int64_t n_position() const { return n_patch() + (has_class_token() ? 1 : 0); }

    /// Whether the MLP reads the stream through a norm of its own, ln_2, and not through ln_1.
    bool has_mlp_norm() const {
        return topology == Topology::kSerial || parallel_norm == ParallelNorm::kSeparate;
    }

    bool has_router(int64_t i) const { return mlp_experts.at(i) > 1; }
    /// Layers with a router, in their order.
    std::vector<int64_t> router_layers() const {
        std::vector<int64_t> layers;
        for (int64_t i = 0; i < n_layer; ++i)
            if (has_router(i)) layers.push_back(i);
        return layers;
    }
    bool has_experts() const {
        return mlp_experts.any([](int64_t experts) { return experts > 1; });
    }

    LayerChoices layer(int64_t i) const {
        return {query.at(i),     key.at(i),      value.at(i), out_proj.at(i),    mlp.at(i),
                skip_attn.at(i), skip_mlp.at(i), norm.at(i),  mlp_experts.at(i), mlp_top_k.at(i)};
    }

    bool operator==(const ModelConfig&) const = default;
};

}  // namespace headroom
