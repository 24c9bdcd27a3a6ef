#include "core/data/batch.h"

#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/device/batch_inputs.h"

namespace headroom {
namespace {

using testing::ElementsAre;

uint64_t hash_of(std::string_view text) {
    return hash_bytes({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

Batch batch_of(std::vector<int32_t> tokens, std::vector<int32_t> targets, int64_t seq_len) {
    Batch batch = Batch::of_tokens(static_cast<int64_t>(tokens.size()) / seq_len, seq_len);
    std::copy(tokens.begin(), tokens.end(), batch.tokens().begin());
    std::copy(targets.begin(), targets.end(), batch.targets().begin());
    return batch;
}

TEST(Batch, IsHashedAsTheWordsOfItsTokensThenOfItsTargets) {
    const Batch batch = batch_of({'a' | 'b' << 8 | 'c' << 16 | 'd' << 24}, {-1}, 1);
    EXPECT_EQ(batch.hash(), hash_of("abcd\xff\xff\xff\xff"));
}

TEST(Batch, HashesChainOverMicroBatches) {
    const Batch a = batch_of({1, 2}, {1, 2}, 2), b = batch_of({3, 4}, {3, 4}, 2);
    const uint64_t chained = b.hash(a.hash());
    EXPECT_NE(chained, a.hash(b.hash()));
    EXPECT_NE(chained, a.hash());
}

TEST(Batch, RowsOfALargerOneAreTakenOverTensorByTensor) {
    const Batch whole = batch_of({1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}, 2);
    Batch part = whole.with_rows(1);
    part.copy_rows(whole, 2);
    EXPECT_THAT(part.tokens(), ElementsAre(5, 6));
    EXPECT_THAT(part.targets(), ElementsAre(11, 12));
}

TEST(Batch, TheNextTokenIsTheTargetButForTheLastOfASequence) {
    const Batch batch = next_token_batch(std::vector<int32_t>{1, 2, 3, 4, 5, 6}, 3);
    EXPECT_EQ(batch.batch_size(), 2);
    EXPECT_THAT(batch.tokens(), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(batch.targets(), ElementsAre(2, 3, kIgnoredTarget, 5, 6, kIgnoredTarget));
    EXPECT_EQ(count_valid(batch.targets()), 4);
}

/// A graph that reads pictures, which no token data have.
TEST(Batch, DataOfAnotherKindThanTheModelReadsAreRefused) {
    Graph graph;
    const ValueId pixels = graph.add_value("pixels", {DType::kF32, {2, 3}}, Role::kInput);
    const ValueId tokens = graph.add_value("tokens", {DType::kI32, {2, 3}}, Role::kInput);
    const auto executor = make_cpu_device()->prepare(graph);
    Batch batch = batch_for(graph, {pixels, tokens});
    batch.tokens()[4] = 7;
    EXPECT_NO_THROW(write_batch(*executor, {pixels, tokens}, batch));
    std::vector<int32_t> seen(6);
    executor->read(tokens, std::as_writable_bytes(std::span(seen)));
    EXPECT_THAT(seen, ElementsAre(0, 0, 0, 0, 7, 0));
    EXPECT_THROW(write_batch(*executor, {pixels}, Batch::of_tokens(2, 3)), UserError);
    EXPECT_THROW(write_batch(*executor, {tokens}, Batch::of_tokens(2, 4)), UserError);
}

}  // namespace
}  // namespace headroom
