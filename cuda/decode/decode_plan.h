#pragma once

#include <cstdint>

#include "core/base/dtype.h"
#include "core/ops/cached_attention.h"

namespace headroom::cuda {

/// Threads of a block whose threads hold so many queries each.
constexpr int decode_threads(int64_t per_thread) {
    return per_thread == 1 ? 64 : 128;
}

/// Threads of a block that streams a cache (streaming_block.h).
inline constexpr int kStreamingThreads = 128;
/// Numbers behind the columns of a query's sum where parts of a context wait to be added up.
inline constexpr int kMostAndTotal = 2;

/// How attention over a cache is cut into blocks: one for each sequence, key/value head, tile of
/// queries and piece of the context. The query heads of a key/value head and the rows of a prompt
/// are the queries of a tile: what a block reads of the cache serves them all. A block walks over
/// its piece `positions` at a time; a second launch adds up the pieces ("split-K", Dao et al. 2023,
/// "Flash-Decoding"). All of it follows from the types: a launch is recorded once for every
/// position.
struct DecodePlan {
    int64_t batch = 1, rows = 1, capacity = 1;
    int64_t n_kv_head = 1, group = 1;  ///< query heads of a key/value head
    int64_t query_width = 0, out_width = 0;
    int64_t per_thread = 1;  ///< queries that a thread holds against one position: 1 or 4
    int64_t queries = 1;     ///< of a tile, a multiple of per_thread
    int64_t positions = 1;   ///< that lie in shared memory at a time
    int64_t stripes = 1;     ///< parts of those that are added up apart
    int64_t dot_parts = 1;   ///< parts of the columns of a query that are multiplied apart
    int64_t pieces = 1;
    int64_t number_bytes = 4;  ///< of a number of the accumulator type
    int64_t stored_bytes = 4;  ///< of a number of the caches

    constexpr int64_t tiles() const { return (rows * group + queries - 1) / queries; }
    constexpr int64_t blocks() const { return batch * n_kv_head * tiles() * pieces; }
    /// Numbers from one position in shared memory to the next: rows start at different banks.
    constexpr int64_t row_stride() const {
        const int64_t vectors = ((query_width > out_width ? query_width : out_width) + 3) / 4;
        return 4 * (vectors % 2 == 0 ? vectors + 1 : vectors);
    }
    /// Neighbouring threads that share a position where a block streams, 16 bytes each: a power of
    /// two.
    int64_t lanes() const;
    /// Whether blocks may stream: a warp has a whole position, and a thread room for all queries.
    /// The places of the caches must also allow it (HeadSegments::vectors).
    bool may_stream() const;
    int64_t streaming_bytes() const;  ///< of shared memory, of a block that streams

    /// Of another block, for tile, queries, sums and scores.
    int64_t shared_bytes() const;
    /// Of what the pieces leave for the second launch; none where there is one piece.
    int64_t workspace_bytes() const;
};

/// Shared memory that a block may take: every GPU of compute capability 8.0 and more has it.
inline constexpr int64_t kMostSharedBytes = 96 * 1024;
/// Parts of the scores of a query whose maximum and sum are taken apart.
inline constexpr int64_t kScoreParts = 16;
/// Pieces of a context: two for each lane of the warps that join them.
inline constexpr int64_t kMostPieces = 64;
/// Positions of a piece are a multiple of this.
inline constexpr int64_t kPieceStep = 64;

/// Columns padded to whole vectors of four.
constexpr int64_t padded(int64_t columns) {
    return (columns + 3) / 4 * 4;
}

/// Positions of a piece where even pieces had `even` of them: piece p begins at p times it.
constexpr int64_t whole_steps(int64_t even) {
    return even <= kPieceStep ? kPieceStep : (even + kPieceStep - 1) / kPieceStep * kPieceStep;
}

/// Pieces of the context that make about so many blocks, where the plan has one piece.
int64_t pieces_for(const DecodePlan& plan, int64_t enough_blocks);

/// For q and caches of these types. InternalError for heads too wide for shared memory, and for
/// more than about 2^31 rows, positions or blocks.
DecodePlan plan_decode(const CachedAttentionOptions& options, const TensorType& q,
                       const TensorType& cache);

}  // namespace headroom::cuda
