#pragma once

#include <cstdint>
#include <vector>

#include "core/probe/probe_pass.h"
#include "tests/core/model/forward_pass.h"

namespace headroom {

/// What a head written by hand attends to, with a weight of 1 to within 1e-12.
enum class HeadKind {
    kUniform,    ///< all that it sees, alike
    kCurrent,    ///< its own token
    kPrevious,   ///< the token before; the first attends to itself
    kFirst,      ///< the first token
    kDuplicate,  ///< earlier occurrences of its token, alike; all other tokens, alike, without one
    kInduction,  ///< what followed earlier occurrences (below: a kPrevious head), else as above
};

/// Weights by hand: no norms, no MLP, and a residual stream that can be read like a table. Its
/// columns are the token (one-hot, vocab_size), the position (one-hot, seq_len) and the token
/// before (vocab_size), which kPrevious heads fill in. Other heads write nothing.
struct HandmadeModel {
    ModelConfig model;
    Weights weights;

    int64_t token_column() const { return 0; }
    int64_t position_column() const { return model.vocab_size; }
    int64_t previous_column() const { return model.vocab_size + model.block_size; }
};

/// One list of heads for each layer, equally many in each. `seq_len` is the longest sequence.
HandmadeModel handmade_model(const std::vector<std::vector<HeadKind>>& layers, int64_t vocab_size,
                             int64_t seq_len);

/// A float64 pass over `tokens` [batch_size, seq_len] with all attention and streams tapped.
ProbePass run_handmade(const HandmadeModel& handmade, const std::vector<int32_t>& tokens,
                       int64_t batch_size = 1);

}  // namespace headroom
