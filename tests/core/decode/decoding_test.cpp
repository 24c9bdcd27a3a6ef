#include <map>

#include <gtest/gtest.h>

#include "core/account/kv_cache.h"
#include "core/base/error.h"
#include "core/cpu/amx_product.h"
#include "core/decode/decoding_session.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/forward_pass.h"
#include "tests/support/made_weights.h"

// Decoding token by token against the full pass, and the caches against the count.

namespace headroom {
namespace {

std::vector<double> last_row(const std::vector<double>& logits, size_t row, size_t vocab_size) {
    const auto first = logits.begin() + static_cast<std::ptrdiff_t>(row * vocab_size);
    return {first, first + static_cast<std::ptrdiff_t>(vocab_size)};
}

class Decoding : public testing::TestWithParam<Architecture> {
  protected:
    Decoding() : model_(small_job(GetParam().keys).model), weights_(random_weights(model_)) {}

    DecodingSession session(DecodeShape shape, DType precision = DType::kF64) {
        DecodingSession session(model_, precision, shape, *device_);
        write_weights(session.executor(), session.graph().parameters, weights_);
        return session;
    }

    ModelConfig model_;
    Weights weights_;
    std::unique_ptr<Device> device_ = make_cpu_device();
    const std::vector<int32_t> tokens_ = some_tokens(6, 11);
};

TEST_P(Decoding, TokenByTokenIsTheFullPass) {
    const auto all = forward_logits(model_, weights_, tokens_);
    DecodingSession decoding = session({1, 6, 4});
    for (size_t t = 0; t < tokens_.size(); ++t) {
        decoding.step({&tokens_[t], 1});
        EXPECT_LT(relative_error(decoding.logits(), last_row(all, t, 11)), 1e-11) << t;
    }
}

TEST_P(Decoding, APromptTakenInPiecesThenOneTokenIsTheFullPass) {
    const auto all = forward_logits(model_, weights_, tokens_);
    DecodingSession decoding = session({1, 6, 2});
    decoding.prefill({tokens_.data(), 5});  // pieces of 2, 2 and 1
    EXPECT_LT(relative_error(decoding.logits(), last_row(all, 4, 11)), 1e-11);
    decoding.step({&tokens_[5], 1});
    EXPECT_LT(relative_error(decoding.logits(), last_row(all, 5, 11)), 1e-11);
    EXPECT_THROW(decoding.step({&tokens_[5], 1}), UserError);  // the cache is full
}

TEST_P(Decoding, AStepGivesTheLogitsOfAllItsTokensAndCanBeTakenBack) {
    const auto all = forward_logits(model_, weights_, tokens_);
    const auto rows = [&](const std::vector<double>& of, size_t first, size_t count) {
        const auto begin = of.begin() + static_cast<std::ptrdiff_t>(first * 11);
        return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count * 11));
    };
    DecodingSession decoding = session({1, 6, 4, 3});
    decoding.prefill({tokens_.data(), 2});
    decoding.step({&tokens_[2], 2});  // one row is padding
    EXPECT_LT(relative_error(decoding.logits(), rows(all, 2, 2)), 1e-11);
    const std::vector<int32_t> other{10, 9, 8};
    decoding.rewind(2);
    decoding.step(other);
    decoding.rewind(3);
    EXPECT_EQ(decoding.position(), 3);
    decoding.rewind(2);
    decoding.step({&tokens_[2], 1});
    decoding.step({&tokens_[3], 3});
    EXPECT_LT(relative_error(decoding.logits(), rows(all, 3, 3)), 1e-11);

    DecodingSession both = session({2, 6, 4, 3});
    std::vector<int32_t> batch{tokens_[0], tokens_[1], 4, 5};
    both.step(batch);
    EXPECT_LT(relative_error(rows(both.logits(), 0, 2), rows(all, 0, 2)), 1e-11);
}

TEST_P(Decoding, Float32StaysNearDouble) {
    const auto all = forward_logits(model_, weights_, tokens_);
    DecodingSession decoding = session({1, 6, 4}, DType::kF32);
    decoding.prefill({tokens_.data(), 5});
    decoding.step({&tokens_[5], 1});
    EXPECT_LT(relative_error(decoding.logits(), last_row(all, 5, 11)), 1e-5);
}

TEST_P(Decoding, SequencesOfABatchDoNotMeet) {
    DecodingSession alone = session({1, 6, 3}), both = session({2, 6, 3});
    std::vector<int32_t> batch = some_tokens(6, 7);
    batch.insert(batch.end(), tokens_.begin(), tokens_.end());
    both.prefill(batch);
    alone.prefill(tokens_);
    EXPECT_LT(relative_error(last_row(both.logits(), 1, 11), alone.logits()), 1e-13);
}

TEST_P(Decoding, CachesTakeExactlyTheBytesThatAreCounted) {
    for (const DType precision : {DType::kF64, DType::kF32}) {
        DecodingSession decoding = session({3, 5, 4}, precision);
        EXPECT_EQ(decoding.cache_bytes(), 3 * 5 * count_cache(model_).bytes_per_token(precision));
    }
}

std::vector<Architecture> decoders() {
    std::vector<Architecture> list;
    for (const Architecture& architecture : architectures_to_test())
        if (!architecture.encoder) list.push_back(architecture);
    return list;
}

INSTANTIATE_TEST_SUITE_P(Architectures, Decoding, testing::ValuesIn(decoders()),
                         [](const auto& architecture) { return architecture.param.name; });

TEST(DecodingSession, RefusesWhatCannotBeDecoded) {
    const auto device = make_cpu_device();
    const ModelConfig encoder = small_job(R"({"causal": false})").model;
    EXPECT_THROW(DecodingSession(encoder, DType::kF64, {1, 4}, *device), UserError);
    const ModelConfig gpt2 = small_job("{}").model;
    EXPECT_THROW(DecodingSession(gpt2, DType::kF64, {1, 7}, *device), UserError);  // 6 positions
    DecodingSession session(gpt2, DType::kF64, {1, 6}, *device);
    const int32_t outside = 11;
    EXPECT_THROW(session.step({&outside, 1}), UserError);
}

/// Weights that products alone read lie in panels where the device has tiles; a tied head's, which
/// is read across, and tables do not. The pass in one piece reads them all as rows.
TEST(DecodingSession, WeightsInPanelsGiveTheLogitsOfThoseInRows) {
    const auto device = make_cpu_device();
    const bool tiles = AmxProduct::usable();
    EXPECT_EQ(device->weight_layout(DType::kBF16) == MemoryLayout::kPanels, tiles);
    EXPECT_EQ(device->weight_layout(DType::kF32), MemoryLayout::kRows);
    EXPECT_EQ(make_cpu_device(Kernels::kReference)->weight_layout(DType::kBF16),
              MemoryLayout::kRows);
    const ModelConfig model =
        small_job(R"({"d_model": 64, "d_head": 32, "d_ff": 96, "block_size": 40})").model;
    const Weights weights = initial_weights(model);
    const std::vector<int32_t> tokens = some_tokens(40, 11);
    DecodingSession session(model, DType::kBF16, {1, 40, 38}, *device);
    const Graph& graph = session.graph().graph;
    std::map<MemoryLayout, int> copies;
    for (const Value& value : graph.values())
        if (value.role == Role::kWorkingCopy) ++copies[value.type.layout];
    EXPECT_EQ(copies[MemoryLayout::kPanels], tiles ? 6 * model.n_layer : 0);
    EXPECT_EQ(copies[MemoryLayout::kRows], tiles ? 1 : 6 * model.n_layer + 1);
    write_weights(session.executor(), session.graph().parameters, weights);
    const auto all = forward_logits(model, weights, tokens, DType::kBF16);
    session.prefill({tokens.data(), 38});
    EXPECT_LT(relative_error(session.logits(), last_row(all, 37, 11)), 0.01);
    for (size_t t = 38; t < 40; ++t) {
        session.step({&tokens[t], 1});
        EXPECT_LT(relative_error(session.logits(), last_row(all, t, 11)), 0.01) << t;
    }
}

TEST(DecodingSession, RefusesTokensBeyondASlidingWindow) {
    const auto device = make_cpu_device();
    const ModelConfig llama = small_job(R"({"arch": "llama"})").model;
    CheckpointMetadata metadata;
    metadata.other[kSlidingWindow] = "6";
    const Weights values = random_weights(llama);
    const MadeWeights weights(
        llama, [&](const std::string& name) { return values.at(name); }, metadata);
    DecodingSession inside(llama, DType::kF64, {1, 6}, *device);
    inside.load(weights);
    DecodingSession beyond(llama, DType::kF64, {1, 7}, *device);
    EXPECT_THROW(beyond.load(weights), UserError);
}

TEST(DecodingSession, RotaryPositionsGoBeyondTheBlockSize) {
    const auto device = make_cpu_device();
    const ModelConfig llama = small_job(R"({"arch": "llama"})").model;
    const Weights weights = random_weights(llama);
    const std::vector<int32_t> tokens = some_tokens(20, 11);
    DecodingSession session(llama, DType::kF64, {1, 20, 8}, *device);
    write_weights(session.executor(), session.graph().parameters, weights);
    session.prefill(tokens);
    EXPECT_LT(
        relative_error(session.logits(), last_row(forward_logits(llama, weights, tokens), 19, 11)),
        1e-11);
    session.restart();
    session.prefill({tokens.data(), 3});
    EXPECT_LT(
        relative_error(session.logits(), last_row(forward_logits(llama, weights, tokens), 2, 11)),
        1e-11);
}

}  // namespace
}  // namespace headroom
