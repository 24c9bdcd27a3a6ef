#pragma once

namespace headroom {

/// Where a probe file holds attention, of shape [n_layer, n_head, seq_len, seq_len]: softmax's
/// results and, on request, its arguments.
constexpr const char *kAttentionWeights = "/attention/weights",
                     *kAttentionLogits = "/attention/logits";

}  // namespace headroom
