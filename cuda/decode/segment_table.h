#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/ops/cached_attention.h"
#include "cuda/device/device_memory.h"
#include "cuda/primitives/factor.h"

namespace headroom::cuda {

/// A segment with its address: position j of sequence b begins at data + b sequence + j stride.
struct SegmentAt {
    const void* data;
    int64_t sequence, stride;
    int32_t width, at;
    Factor factor;

    constexpr bool covers(int column) const { return column >= at && column < at + width; }
};

/// The segments of a key/value head: [first, end) of the list.
struct HeadSegments {
    int32_t first = 0, end = 0;
    bool vectors = false;  ///< 16 bytes at a time lie in one segment, at addresses fit for that
};

/// Segments of all key/value heads, one list behind the other.
struct SegmentList {
    std::vector<SegmentAt> segments;
    std::vector<HeadSegments> heads;

    /// Of every head.
    bool all_vectors() const;
};

/// `met_width` columns are those that the segments meet: of a query or an output head. Inputs as
/// those of CachedAttention.
SegmentList list_segments(const std::vector<std::vector<CacheSegment>>& heads, int64_t met_width,
                          std::span<const Tensor> inputs);

/// Whether the values of every head are columns [0, out_width) of its keys, as in multi-head latent
/// attention: then they need not be read twice.
bool values_are_keys(const CachedAttentionOptions& options);

}  // namespace headroom::cuda
