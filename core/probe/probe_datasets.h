#pragma once

#include <string>
#include <string_view>

namespace headroom {

/// Where probe files (core/FORMATS.md) hold their arrays. n_stream is n_layer + 1: the stream
/// before the first block and after each.

/// The array of a group.
inline std::string probe_path(std::string_view group, std::string_view array) {
    return std::string(group).append("/").append(array);
}

/// What was read, int32 [batch_size, seq_len].
constexpr const char* kProbeTokenIds = "/tokens/ids";

/// Attention, [n_layer, n_head, seq_len, seq_len]: softmax's results and, on request, its
/// arguments.
constexpr const char *kAttentionWeights = "/attention/weights",
                     *kAttentionLogits = "/attention/logits";
/// Of a model of images what it read, uint8 [image_size, image_size, kImageChannels].
constexpr const char* kAttentionPicture = "/picture";

/// A measure of heads (core/probe/heads_probe.h), [n_layer, n_head].
inline std::string head_measure_path(std::string_view measure) {
    return probe_path("/heads", measure);
}
/// [n_layer, n_head, seq_len].
constexpr const char* kDistanceProfile = "/heads/distance_profile";

/// Groups of cosines by tensor, a map per layer or stream: [n, n_head, n_head] and [n, seq_len,
/// seq_len].
constexpr const char *kHeadSimilarity = "/similarity/heads",
                     *kTokenSimilarity = "/similarity/tokens";
/// The mean of a map of tokens off its diagonal, [n].
inline std::string token_mean_path(std::string_view tensor) {
    return probe_path(kTokenSimilarity, tensor) + "_mean";
}
/// A group by tensor, [n].
constexpr const char* kEffectiveRank = "/similarity/effective_rank";
/// [n_stream, n_stream], the second with another model's streams.
constexpr const char *kStreamCka = "/similarity/cka", *kStreamCkaOther = "/similarity/cka_other";

/// The logit lens, [n_stream] each.
constexpr const char *kLensLoss = "/lens/loss", *kLensKl = "/lens/kl",
                     *kLensAccuracy = "/lens/accuracy";

/// [n_stream].
constexpr const char* kStreamNorm = "/mixing/stream_norm";
/// The group of what mixes streams, and in it λ of the layers that have one, [n_layer].
constexpr const char *kMixingGroup = "/mixing", *kMixingLambda = "lambda";

/// The loss as it is, [1], and how it is without each head, by the choices of columns_of() in
/// core/probe/kinds/ablation.cpp, [n_layer, n_head].
constexpr const char* kAblationLoss = "/ablation/loss";
inline std::string ablation_path(std::string_view name) {
    return probe_path("/ablation", name);
}

/// The loss as it is, [1], and where a head reads another layer, [n_layer, n_kv_head, n_layer].
constexpr const char *kRewireLoss = "/rewire/loss", *kRewireKeys = "/rewire/keys",
                     *kRewireValues = "/rewire/values";

/// The loss as it is, [1]; the layers that share in turn, each with the one it reads, [n, 2], where
/// any can; the loss after each, [n].
constexpr const char *kSharingLoss = "/sharing/loss", *kSharingOrder = "/sharing/order",
                     *kSharingLosses = "/sharing/losses";

/// How far an MLP is from taking in its skip, [n_layer].
constexpr const char *kAbsorption = "/absorption", *kAbsorptionResidual = "residual";

/// The group of a weight tensor's numbers: norm and gradient_norm, [1], and of a matrix
/// singular_values, the greatest first.
inline std::string weight_group(std::string_view tensor) {
    return probe_path("/weights", tensor);
}
constexpr const char *kWeightNorm = "/norm", *kGradientNorm = "/gradient_norm",
                     *kSingularValues = "/singular_values";

}  // namespace headroom
