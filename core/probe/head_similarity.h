#pragma once

#include "core/probe/number_array.h"
#include "core/probe/probe_pass.h"

namespace headroom {

/// Cosines between the heads of a layer, [H, H], in one part of theirs flattened over the tokens
/// and the width of a head; the mean over the sequences. Wu et al. (SkipV1Former), figure 13.
NumberArray head_cosines(const ProbePass& pass, int layer, HeadPart part);

/// The same for their matrices of attention weights: the lower triangle, or all without a mask.
NumberArray head_weight_cosines(const ProbePass& pass, int layer);

}  // namespace headroom
