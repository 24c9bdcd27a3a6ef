#pragma once

#include "core/model/parameters.h"

namespace headroom {

/// How a weight meets the residual stream: a matrix by what it is multiplied with, a bias by what
/// it is added to.
enum class StreamUse {
    kNone,
    kEmbedding,        ///< writes the first stream
    kAttentionReads,   ///< W_Q, W_K, W_V, and what latent attention has in their place
    kAttentionWrites,  ///< W_O
    kMlpReads,         ///< up, gate, and the router of a mixture of experts
    kMlpWrites,        ///< down
    kHead,             ///< reads the last stream
};

/// The one place that knows: what changes the stream's basis, or what a norm does to it, follows.
/// An expert is an MLP. Its router is one more matrix that reads what they read: with the stream
/// X Theta and Theta^-1 W_r its logits stay, and so does which token goes where and what finds no
/// place. It has no bias, unlike the others.
StreamUse stream_use(const ParameterSpec& spec);

}  // namespace headroom
