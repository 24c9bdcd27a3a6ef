// How attention over a cache is cut into blocks, and where its segments lie.
#include "cuda/decode/decode_plan.h"

#include <gtest/gtest.h>

#include "cuda/attention/tile_shapes.h"
#include "cuda/decode/prompt_plan.h"
#include "cuda/decode/segment_table.h"

namespace headroom::cuda {
namespace {

CachedAttentionOptions heads(int64_t n_head, int64_t n_kv_head, int64_t width) {
    CachedAttentionOptions o;
    o.n_head = n_head;
    o.n_kv_head = n_kv_head;
    o.query_width = o.out_width = width;
    o.n_cache = 2;
    for (int64_t g = 0; g < n_kv_head; ++g) {
        o.keys.push_back({{0, g, 0, width, 0}});
        o.values.push_back({{1, g, 0, width, 0}});
    }
    return o;
}

DecodePlan plan(const CachedAttentionOptions& o, int64_t batch, int64_t rows, int64_t capacity,
                DType dtype = DType::kBF16) {
    return plan_decode(o, {dtype, {batch, rows, o.n_head * o.query_width}},
                       {dtype, {batch, o.n_kv_head, capacity, o.query_width}});
}

TEST(DecodePlan, LongContextsAreSplitUntilTheChipIsBusy) {
    const DecodePlan one = plan(heads(12, 12, 64), 2, 1, 32768);
    EXPECT_EQ(one.pieces, 44);  // of two sequences' 12 heads
    EXPECT_EQ(one.blocks(), 1056);
    EXPECT_EQ(plan(heads(12, 12, 64), 1, 1, 32768).pieces, 64);  // as many as are joined
    EXPECT_EQ(plan(heads(12, 12, 64), 64, 1, 32768).pieces, 1);  // sequences are enough
    EXPECT_EQ(plan(heads(12, 12, 64), 1, 1, 130).pieces, 3);     // of 64 positions at least
    EXPECT_EQ(plan(heads(12, 12, 64), 1, 1, 5).pieces, 1);
}

TEST(DecodePlan, GroupsOfQueryHeadsReadTheCacheOnce) {
    EXPECT_EQ(plan(heads(12, 12, 64), 1, 1, 512).queries, 1);
    EXPECT_EQ(plan(heads(32, 8, 128), 1, 1, 512).queries, 4);
    EXPECT_EQ(plan(heads(32, 8, 128), 1, 1, 512).tiles(), 1);
    EXPECT_EQ(plan(heads(12, 4, 64), 1, 1, 512).queries, 4);  // three of them, padded
    const DecodePlan prompt = plan(heads(12, 12, 64), 1, 256, 1024);
    EXPECT_EQ(prompt.queries, 16);
    EXPECT_EQ(prompt.tiles(), 16);
}

std::optional<PromptPlan> prompt(const CachedAttentionOptions& o, int64_t batch, int64_t rows,
                                 DType dtype = DType::kBF16) {
    return plan_prompt(o, {dtype, {batch, rows, o.n_head * o.query_width}},
                       {dtype, {batch, o.n_kv_head, 4096, o.query_width}}, 160 << 10);
}

TEST(PromptPlan, TilesAreThoseOfTheForwardPass) {
    const std::optional<PromptPlan> p = prompt(heads(12, 12, 64), 1, 256);
    ASSERT_TRUE(p);
    EXPECT_EQ(kForwardShapes[p->shape].key_width, 64);
    EXPECT_EQ(p->plan.tiles(), 2);
    EXPECT_EQ(p->plan.pieces, 11);  // 24 tiles of heads for 264 blocks
    EXPECT_EQ(prompt(heads(12, 12, 64), 16, 256)->plan.pieces, 1);
    EXPECT_EQ(prompt(heads(32, 8, 128), 1, 256)->plan.tiles(), 8);  // four queries of a row
    EXPECT_GT(p->plan.workspace_bytes(), 0);
}

TEST(PromptPlan, OtherBlocksHaveWhatIsNoTensorCores) {
    const CachedAttentionOptions o = heads(2, 2, 64);
    ASSERT_TRUE(prompt(o, 1, 17));
    EXPECT_FALSE(prompt(o, 1, 16));
    EXPECT_FALSE(prompt(o, 1, 17, DType::kF32));
    EXPECT_FALSE(prompt(heads(2, 2, 200), 1, 17));
    CachedAttentionOptions weighted = o;
    weighted.values[1][0].constant = 0.5;
    EXPECT_FALSE(prompt(weighted, 1, 17));
    CachedAttentionOptions summed = o;
    summed.values[0].push_back({0, 0, 0, 8, 56});
    EXPECT_FALSE(prompt(summed, 1, 17));
    CachedAttentionOptions in_parts = o;
    in_parts.keys[0] = {{0, 0, 0, 56, 0}, {1, 0, 0, 8, 56}};
    EXPECT_TRUE(prompt(in_parts, 1, 17));
}

TEST(DecodePlan, EveryHeadFitsSharedMemory) {
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kBF16})
        for (const int64_t width : {1, 5, 62, 64, 80, 96, 128, 256, 576, 1024})
            for (const int64_t group : {1, 3, 8, 16, 128})
                for (const int64_t rows : {1, 9, 256}) {
                    const DecodePlan p = plan(heads(group, 1, width), 2, rows, 4096, dtype);
                    SCOPED_TRACE(std::to_string(width) + " " + std::to_string(group));
                    EXPECT_LE(p.shared_bytes(), kMostSharedBytes);
                    EXPECT_GE(p.positions, 1);
                    EXPECT_EQ(p.queries % p.per_thread, 0);
                    EXPECT_GE(p.tiles() * p.queries, rows * group);
                    EXPECT_EQ(p.row_stride() / 4 % 2, 1);  // 16 bytes each: no bank is met twice
                    EXPECT_GE(p.row_stride(), width);
                }
    EXPECT_THROW(plan(heads(1, 1, 100000), 1, 1, 64), InternalError);
}

TEST(DecodePlan, RowsAndPositionsAreCountedByInts) {
    const int64_t many = int64_t{1} << 31;
    EXPECT_NO_THROW(plan(heads(2, 1, 64), 1, 1, many / 2));
    EXPECT_THROW(plan(heads(2, 1, 64), 1, 1, many), InternalError);
    EXPECT_THROW(plan(heads(2, 1, 64), many / 8, 4, 64), InternalError);
}

TEST(DecodePlan, ALatentOfSixteenHeadsIsReadOnceByEachPiece) {
    CachedAttentionOptions o = heads(16, 1, 576);
    o.out_width = 512;
    EXPECT_EQ(plan(o, 1, 1, 4096).tiles(), 1);
}

TEST(DecodePlan, ThreadsOfWideHeadsShareAScore) {
    EXPECT_EQ(plan(heads(12, 12, 64), 1, 1, 512).dot_parts, 1);  // a position for every thread
    CachedAttentionOptions o = heads(16, 1, 576);
    o.out_width = 512;
    const DecodePlan latent = plan(o, 1, 1, 4096);
    EXPECT_EQ(latent.dot_parts * latent.queries / 4 * latent.positions, 128);
}

TEST(DecodePlan, PiecesCoverWhatIsSeen) {
    for (const int64_t pieces : {1, 3, 44, 64})
        for (int64_t seen = 1; seen < 9000; seen += 37) {
            const int64_t length = whole_steps((seen + pieces - 1) / pieces);
            EXPECT_GE(length * pieces, seen);
            EXPECT_EQ(length % kPieceStep, 0);
        }
    EXPECT_EQ(whole_steps(1), kPieceStep);
}

TEST(DecodePlan, OnlyPiecesNeedScratch) {
    EXPECT_EQ(plan(heads(12, 12, 64), 64, 1, 32768).workspace_bytes(), 0);
    const DecodePlan p = plan(heads(4, 2, 64), 3, 2, 640);
    EXPECT_EQ(p.workspace_bytes(), 3 * 2 * 4 * p.pieces * 66 * 4);
}

TEST(DecodePlan, StreamsFewQueriesOfHeadsThatAWarpHolds) {
    const auto streams = [](const CachedAttentionOptions& o, int64_t rows, DType dtype) {
        return plan(o, 1, rows, 4096, dtype).may_stream();
    };
    EXPECT_TRUE(streams(heads(12, 12, 64), 1, DType::kBF16));
    EXPECT_TRUE(streams(heads(12, 2, 128), 1, DType::kF32));
    EXPECT_TRUE(streams(heads(8, 1, 256), 1, DType::kBF16));
    EXPECT_FALSE(streams(heads(8, 1, 256), 1, DType::kF32));     // 64 lanes
    EXPECT_FALSE(streams(heads(16, 1, 64), 1, DType::kBF16));    // 16 queries
    EXPECT_FALSE(streams(heads(12, 12, 64), 37, DType::kBF16));  // a prompt
    EXPECT_EQ(plan(heads(2, 2, 64), 1, 1, 64).lanes(), 8);
    EXPECT_EQ(plan(heads(2, 2, 80), 1, 1, 64).lanes(), 16);
    EXPECT_EQ(plan(heads(2, 2, 80), 1, 1, 64, DType::kF32).lanes(), 32);
    for (const int64_t group : {1, 4, 8})
        EXPECT_LE(plan(heads(group, 1, 256), 1, 1, 4096).streaming_bytes(), kMostSharedBytes);
}

class SegmentTable : public testing::Test {
  protected:
    /// Caches of two sequences, four heads and seven positions in memory at `offset` bytes.
    std::vector<Tensor> caches(int64_t width, size_t offset) {
        const Tensor cache{memory_ + offset, {DType::kBF16, {2, 4, 7, width}}};
        return {{nullptr, {DType::kBF16, {2, 1, 4 * width}}}, cache, cache};
    }
    alignas(64) std::byte memory_[2 * 2 * 4 * 7 * 64];
};

TEST_F(SegmentTable, ReadsInVectorsWhereEverySixteenBytesAreAligned) {
    const auto vectors = [&](std::vector<CacheSegment> head, int64_t width, size_t offset) {
        return list_segments({head}, 32, caches(width, offset)).heads[0].vectors;
    };
    EXPECT_TRUE(vectors({{0, 1, 0, 32, 0}}, 32, 0));
    EXPECT_TRUE(vectors({{0, 1, 0, 16, 0}, {1, 1, 8, 16, 16}}, 32, 0));
    EXPECT_FALSE(vectors({{0, 1, 0, 32, 0}}, 32, 2));  // the cache begins elsewhere
    EXPECT_FALSE(vectors({{0, 1, 4, 16, 0}}, 32, 0));  // its first column
    EXPECT_FALSE(vectors({{0, 1, 0, 16, 4}}, 32, 0));  // the column it meets
    EXPECT_FALSE(vectors({{0, 1, 0, 12, 0}}, 32, 0));  // its end
    EXPECT_FALSE(vectors({{0, 1, 0, 24, 0}}, 31, 0));  // the head
    EXPECT_FALSE(vectors({{0, 0, 0, 24, 0}}, 28, 0));  // the next position
    EXPECT_FALSE(vectors({}, 32, 0));                  // nothing to read
}

TEST_F(SegmentTable, PlacesHeadsWhereTheCacheHasThem) {
    const SegmentList list =
        list_segments({{{0, 1, 0, 32, 0}}, {}, {{1, 3, 8, 8, 4, 0.5, 2.0}}}, 32, caches(32, 0));
    ASSERT_EQ(list.heads.size(), 3u);
    EXPECT_EQ(list.heads[1].first, list.heads[1].end);
    const SegmentAt& s = list.segments[static_cast<size_t>(list.heads[2].first)];
    EXPECT_EQ(s.data, memory_ + (3 * 7 * 32 + 8) * 2);
    EXPECT_EQ(s.sequence, 4 * 7 * 32);
    EXPECT_EQ(s.stride, 32);
    EXPECT_TRUE(s.covers(4) && s.covers(11) && !s.covers(3) && !s.covers(12));
    const double weight = 3;
    const float of_float = 3;
    EXPECT_EQ(s.factor.at(&weight), 6.5);
    EXPECT_EQ(s.factor.at(&of_float), 6.5f);
    EXPECT_EQ(s.factor.at<double>(nullptr), 0.5);
}

TEST(ValuesAreKeys, OfALatentAloneWhoseRotaryPartStandsBehindIt) {
    CachedAttentionOptions latent;
    latent.out_width = 8;
    latent.values = {{{0, 0, 0, 8, 0}}};
    latent.keys = {{{0, 0, 0, 8, 0}, {1, 0, 0, 4, 8}}};
    EXPECT_TRUE(values_are_keys(latent));
    latent.keys[0][1].at = 4;  // another part is added to its last columns
    EXPECT_FALSE(values_are_keys(latent));
    latent.keys[0][1].at = 8;
    latent.values[0][0].constant = 0.5;
    EXPECT_FALSE(values_are_keys(latent));
    EXPECT_FALSE(values_are_keys(heads(2, 2, 4)));
    latent.values[0][0].constant = 1;
    EXPECT_TRUE(values_are_keys(latent));
    latent.values[0].push_back({2, 0, 0, 8, 0});  // what is added to them is no key
    EXPECT_FALSE(values_are_keys(latent));
}

}  // namespace
}  // namespace headroom::cuda
