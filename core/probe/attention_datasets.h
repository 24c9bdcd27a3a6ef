#pragma once

namespace headroom {

/// Where a probe file holds attention, of shape [n_layer, n_head, seq_len, seq_len]: softmax's
/// results and, on request, its arguments.
constexpr const char *kAttentionWeights = "/attention/weights",
                     *kAttentionLogits = "/attention/logits";
/// Of a model of images what it read, uint8 [image_size, image_size, kImageChannels].
constexpr const char* kAttentionPicture = "/picture";

}  // namespace headroom
