// Operators that tell the squared norm of a gradient while they write it.
#include <cmath>

#include <gtest/gtest.h>

#include "core/ops/adamw.h"
#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "core/ops/linear_cross_entropy.h"
#include "tests/core/ops/op_call.h"

namespace headroom {
namespace {

double sum_of_squares(const std::vector<double>& numbers) {
    double sum = 0;
    for (const double number : numbers) sum += number * number;
    return sum;
}

std::vector<double> tokens_of(int64_t count, int64_t vocab_size) {
    std::vector<double> tokens;  // some of them several times
    for (int64_t i = 0; i < count; ++i) tokens.push_back(static_cast<double>(i * i % vocab_size));
    return tokens;
}

class ToldNorm : public testing::TestWithParam<DType> {
  protected:
    TestTensor normal(const Shape& shape, uint64_t seed) const {
        return {{GetParam(), shape}, normal_numbers(shape, seed)};
    }

    /// What `op` and its telling form write, from outputs that hold something already.
    void expect_told(const Op& op, std::vector<TestTensor> inputs, size_t output) {
        const OpPtr telling = op.telling_norm(static_cast<int>(output));
        ASSERT_NE(telling, nullptr);
        EXPECT_EQ(telling->name(), op.name());
        std::vector<TensorType> types;
        for (const TestTensor& input : inputs) types.push_back(input.type);
        for (const uint8_t add : {0, 1}) {
            const std::vector<TestTensor> before = filled(op.infer(types));
            std::vector<TestTensor> plain = before, told = before;
            told.emplace_back(TensorType{DType::kF64, {1}}, std::vector<double>{100.0});
            ASSERT_EQ(telling->infer(types).size(), told.size());
            run_op(op, inputs, plain, std::vector<uint8_t>(plain.size(), add), {});
            run_op(*telling, inputs, told, std::vector<uint8_t>(told.size(), add), {});
            for (size_t o = 0; o < plain.size(); ++o)
                EXPECT_EQ(told[o].bytes, plain[o].bytes) << "output " << o << ", adding " << +add;
            std::vector<TestTensor> start = before;
            const double was = sum_of_squares(start[output].numbers()),
                         is = sum_of_squares(told[output].numbers()),
                         expected = add != 0 ? 100 + is - was : is;
            EXPECT_NEAR(told.back().numbers()[0], expected, 1e-12 * (was + is + 100)) << +add;
        }
    }

  private:
    static std::vector<TestTensor> filled(const std::vector<TensorType>& types) {
        std::vector<TestTensor> tensors;
        for (const TensorType& type : types)
            tensors.emplace_back(type, normal_numbers(type.shape, 17 + tensors.size()));
        return tensors;
    }
};

TEST_P(ToldNorm, OfAWeightsGradient) {
    expect_told(LinearBackwardWeight(), {normal({2, 9, 5}, 1), normal({2, 9, 7}, 2)}, 0);
    expect_told(LinearBackwardWeight(), {normal({1, 70, 384}, 1), normal({1, 70, 512}, 2)}, 0);
    expect_told(LinearBackwardWeight(), {normal({1, 33, 390}, 1), normal({1, 33, 500}, 2)}, 0);
}

TEST_P(ToldNorm, OfTheTableThatTokensAreAddedTo) {
    const TestTensor tokens({DType::kI32, {3, 11}}, tokens_of(33, 23));
    for (const int64_t width : {1, 64, 130})
        expect_told(EmbeddingBackwardTokens(23), {tokens, normal({3, 11, width}, 2)}, 0);
}

/// As table of tokens and as head; the last with a block of rows after another, in one type: it is
/// large.
TEST_P(ToldNorm, OfTheClassifiersWeight) {
    const auto check = [&](int64_t rows, int64_t vocab_size, int64_t d_model, bool tied) {
        const TestTensor targets({DType::kI32, {1, rows}}, tokens_of(rows, vocab_size));
        const Shape weight = tied ? Shape{vocab_size, d_model} : Shape{d_model, vocab_size};
        const LinearCrossEntropyWithGradient op({tied, 1.0});
        EXPECT_EQ(op.telling_norm(1), nullptr) << "that of the input";
        expect_told(op, {normal({1, rows, d_model}, 1), normal(weight, 2), targets}, 2);
    };
    for (const bool tied : {true, false}) check(18, 21, 5, tied);
    if (GetParam() == DType::kBF16) check(48, 1100000, 1, true);
}

INSTANTIATE_TEST_SUITE_P(Storage, ToldNorm, testing::Values(DType::kF32, DType::kF64, DType::kBF16),
                         [](const auto& dtype) { return std::string(name_of(dtype.param)); });

TEST(GradientNorm, TakesNormsThatWereToldWithGradientsItReads) {
    const TestTensor gradient({DType::kF32, {2}}, {1.0, 2.0}), other({DType::kF64, {1}}, {2.0}),
        told({DType::kF64, {1}}, {7.0});
    EXPECT_DOUBLE_EQ(call_op(GradientNorm(1), {gradient, other, told})[0][0], 4.0);
    EXPECT_DOUBLE_EQ(call_op(GradientNorm(2), {told, told})[0][0], std::sqrt(14.0));
    EXPECT_THROW(GradientNorm(1).infer(std::vector{TensorType{DType::kF32, {1}}}), UserError);
}

/// All there was is taken away: what rounding leaves is no root of a negative number.
TEST(GradientNorm, OfNothingIsZero) {
    const TestTensor told({DType::kF64, {1}}, {-1e-20});
    EXPECT_EQ(call_op(GradientNorm(1), {told})[0][0], 0.0);
}

}  // namespace
}  // namespace headroom
