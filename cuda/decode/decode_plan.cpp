#include "cuda/decode/decode_plan.h"

#include <algorithm>

#include "core/base/error.h"
#include "cuda/primitives/aligned_vector.h"

namespace headroom::cuda {
namespace {

/// Blocks that keep a large chip busy: eight on each of 132 multiprocessors, so that some read
/// while others compute.
constexpr int64_t kEnoughBlocks = 1056;
constexpr int64_t kMostQueries = 16;
constexpr int64_t kMostPositions = 64;
/// Above it fewer blocks share a multiprocessor, which is worth it for wide heads alone.
constexpr int64_t kComfortableBytes = 48 * 1024;

/// Queries of a tile: of one decoded token those of the group, at most kMostQueries.
int64_t queries_for(int64_t all) {
    return all == 1 ? 1 : std::min(kMostQueries, padded(all));
}

/// Threads that sum values hold four columns of per_thread queries each: more stripes give work to
/// all of them.
int64_t stripes_for(const DecodePlan& plan) {
    const int64_t held = plan.queries / plan.per_thread * (padded(plan.out_width) / 4);
    return std::clamp<int64_t>(decode_threads(plan.per_thread) / held, 1, 8);
}

/// The same for those that make scores, each per_thread queries against one position.
int64_t dot_parts_for(const DecodePlan& plan) {
    const int64_t held = plan.queries / plan.per_thread * plan.positions;
    return std::clamp<int64_t>(decode_threads(plan.per_thread) / held, 1, 8);
}

/// Fewer positions first, then fewer queries, until shared memory is enough.
void fit(DecodePlan& plan) {
    const auto needed = [&] {
        plan.per_thread = plan.queries == 1 ? 1 : 4;
        plan.stripes = stripes_for(plan);
        plan.dot_parts = dot_parts_for(plan);
        return plan.shared_bytes();
    };
    while (needed() > kComfortableBytes && plan.positions > 16) plan.positions /= 2;
    while (needed() > kMostSharedBytes && plan.positions > 8) plan.positions /= 2;
    while (needed() > kMostSharedBytes && plan.queries > 1)
        plan.queries = plan.queries > 4 ? plan.queries - 4 : 1;
    while (needed() > kMostSharedBytes && plan.positions > 1) plan.positions /= 2;
    CHECK(needed() <= kMostSharedBytes, "heads of at most 1024 columns");
}

}  // namespace

int64_t DecodePlan::shared_bytes() const {
    const int64_t scores = dot_parts * queries * positions;
    const int64_t of_queries = queries * (3 * kScoreParts + 2);
    const int64_t numbers = positions * row_stride() + queries * padded(query_width) +
                            stripes * queries * padded(out_width) + scores + of_queries;
    return numbers * number_bytes;
}

int64_t DecodePlan::lanes() const {
    const int64_t bytes = std::max(query_width, out_width) * stored_bytes;
    int64_t lanes = 1;
    while (lanes * kPackBytes < bytes) lanes *= 2;
    return lanes;
}

bool DecodePlan::may_stream() const {
    return lanes() <= 32 && (queries == 1 || queries == 4 || queries == 8);
}

int64_t DecodePlan::streaming_bytes() const {
    const int64_t teams = kStreamingThreads / lanes();
    const int64_t columns = lanes() * kPackBytes / stored_bytes;
    return teams * queries * (columns + kMostAndTotal) * number_bytes;
}

int64_t DecodePlan::workspace_bytes() const {
    if (pieces == 1) return 0;
    return batch * rows * n_kv_head * group * pieces * (out_width + kMostAndTotal) * number_bytes;
}

int64_t pieces_for(const DecodePlan& plan, int64_t enough_blocks) {
    const int64_t longest = (plan.capacity + kPieceStep - 1) / kPieceStep;
    return std::clamp<int64_t>(enough_blocks / plan.blocks(), 1,
                               std::clamp<int64_t>(longest, 1, kMostPieces));
}

DecodePlan plan_decode(const CachedAttentionOptions& o, const TensorType& q,
                       const TensorType& cache) {
    DecodePlan plan{.batch = q.shape[0], .rows = q.shape[1], .capacity = cache.shape[2]};
    plan.n_kv_head = o.n_kv_head;
    plan.group = o.n_head / o.n_kv_head;
    plan.query_width = o.query_width;
    plan.out_width = o.out_width;
    plan.number_bytes = static_cast<int64_t>(size_of(accumulator_of(q.dtype)));
    plan.stored_bytes = static_cast<int64_t>(size_of(q.dtype));
    plan.queries = queries_for(plan.rows * plan.group);
    plan.positions = kMostPositions;
    fit(plan);
    plan.pieces = pieces_for(plan, kEnoughBlocks);
    constexpr int64_t kMost = (int64_t{1} << 31) - 8192;  // blocks count a little further
    CHECK(
        plan.batch * plan.rows * o.n_head < kMost && plan.capacity < kMost && plan.blocks() < kMost,
        "rows, positions and blocks that an int can count");
    return plan;
}

}  // namespace headroom::cuda
