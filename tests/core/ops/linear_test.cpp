#include "core/ops/linear.h"

#include <gtest/gtest.h>

#include "core/base/cpu_features.h"
#include "core/cpu/amx_product.h"
#include "core/cpu/weight_panels.h"
#include "core/ops/cast.h"
#include "core/ops/linear_cross_entropy.h"
#include "tests/core/ops/op_call.h"

namespace headroom {
namespace {

/// With so many rows the weight is transposed first, in squares and the rests beside them.
TEST(LinearBackwardInput, OfManyRowsIsTheProductWithTheTransposedWeight) {
    constexpr int64_t rows = 259, in = 37, out = 75;
    const TensorType dy{DType::kF32, {rows, out}}, w{DType::kF32, {in, out}};
    EXPECT_EQ(LinearBackwardInput::copies_weight(dy, w), has_avx512()) << "where that pays";
    TestTensor gradient(dy, normal_numbers(dy.shape, 1)), weight(w, normal_numbers(w.shape, 2));
    const std::vector<double> x = gradient.numbers(), y = weight.numbers();
    const std::vector<double> dx = call_op(LinearBackwardInput(), {gradient, weight})[0];
    ASSERT_EQ(dx.size(), static_cast<size_t>(rows * in));
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = 0; i < in; ++i) {
            double sum = 0;
            for (int64_t o = 0; o < out; ++o)
                sum += x[static_cast<size_t>(r * out + o)] * y[static_cast<size_t>(i * out + o)];
            ASSERT_NEAR(dx[static_cast<size_t>(r * in + i)], sum, 1e-4) << r << ", " << i;
        }
}

/// Small whole numbers: products of up to 4000 of them are exact in every order.
std::vector<double> whole_numbers(int64_t count, int64_t factor) {
    std::vector<double> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(i * factor % 11 - 5));
    return numbers;
}

/// A bfloat16 weight [in, out] and the same one in panels.
struct TwoLayouts {
    TestTensor rows, panels;

    TwoLayouts(int64_t in, int64_t out)
        : rows({DType::kBF16, {in, out}}, whole_numbers(in * out, 3)),
          panels({DType::kBF16, {in, out}, MemoryLayout::kPanels}) {
        const auto* from = rows.tensor().as<bf16>();
        auto* to = panels.tensor().as<bf16>();
        for (int64_t i = 0; i < in; ++i)
            for (int64_t j = 0; j < out; ++j) to[place_in_panels(in, i, j)] = from[i * out + j];
    }
};

TEST(WeightPanels, HoldEveryNumberOnceWhereTilesLookForIt) {
    std::vector<bool> taken(64 * 96, false);
    for (int64_t row = 0; row < 64; ++row)
        for (int64_t column = 0; column < 96; ++column) {
            const int64_t at = place_in_panels(64, row, column);
            ASSERT_TRUE(at >= 0 && at < 64 * 96 && !taken[static_cast<size_t>(at)]);
            taken[static_cast<size_t>(at)] = true;
        }
    EXPECT_EQ(place_in_panels(64, 0, 1), 2);         // beside its pair of rows
    EXPECT_EQ(place_in_panels(64, 1, 0), 1);         // under it
    EXPECT_EQ(place_in_panels(64, 2, 0), 64);        // the next pair
    EXPECT_EQ(place_in_panels(64, 32, 0), 32 * 32);  // the next square
    EXPECT_EQ(place_in_panels(64, 0, 32), 64 * 32);  // the next panel
    EXPECT_TRUE(fits_panels({64, 96}));
    EXPECT_FALSE(fits_panels({48, 96}));
    EXPECT_FALSE(fits_panels({96, 48}));
    EXPECT_FALSE(fits_panels({32}));
}

TEST(Cast, MakesPanelsOfRows) {
    TestTensor from({DType::kF32, {64, 96}}, whole_numbers(64 * 96, 3));
    TwoLayouts expected(64, 96);
    std::vector<TestTensor> in{from}, out{TestTensor(expected.panels.type)};
    run_op(Cast(DType::kBF16), in, out, {0}, {});
    EXPECT_EQ(out[0].numbers(), expected.panels.numbers());
    run_op(Cast(DType::kBF16), in, out, {1}, {});
    const std::vector<double> once = expected.panels.numbers(), twice = out[0].numbers();
    for (size_t i = 0; i < once.size(); ++i) ASSERT_EQ(twice[i], 2 * once[i]);
}

/// Few rows and many, beyond every block of either kernel; with and without what is there.
TEST(Linear, MultipliesPanelsAsItMultipliesRows) {
    if (!AmxProduct::usable()) GTEST_SKIP() << "only tiles of bfloat16 read panels";
    for (const auto& [in, out] : {std::pair<int64_t, int64_t>{32, 32}, {96, 160}, {4160, 64}}) {
        TwoLayouts weight(in, out);
        for (const int64_t count : {1, 2, 8, 16, 17, 33, 70}) {
            TestTensor x({DType::kBF16, {count, in}}, whole_numbers(count * in, 7));
            const auto y = call_op(Linear(), {x, weight.panels})[0];
            EXPECT_EQ(y, call_op(Linear(), {x, weight.rows})[0]) << count << " x " << in;
            double sum = 0;
            const auto a = x.numbers(), b = weight.rows.numbers();
            for (int64_t l = 0; l < in; ++l)
                sum += a[static_cast<size_t>((count - 1) * in + l)] *
                       b[static_cast<size_t>(l * out + out - 1)];
            EXPECT_EQ(y.back(), static_cast<double>(static_cast<float>(bf16(float(sum)))));
        }
    }
}

TEST(LinearBackwardInput, MultipliesPanelsAsItMultipliesRows) {
    if (!AmxProduct::usable()) GTEST_SKIP() << "only tiles of bfloat16 read panels";
    for (const auto& [in, out] :
         {std::pair<int64_t, int64_t>{32, 32}, {160, 96}, {64, 4160}, {2112, 4128}}) {
        TwoLayouts weight(in, out);
        for (const int64_t count : {1, 33}) {
            TestTensor dy({DType::kBF16, {count, out}}, whole_numbers(count * out, 7));
            EXPECT_EQ(call_op(LinearBackwardInput(), {dy, weight.panels})[0],
                      call_op(LinearBackwardInput(), {dy, weight.rows})[0])
                << count << " x " << out;
        }
    }
}

/// Beyond every block of the vocabulary, as table of tokens and as head.
TEST(LinearCrossEntropy, ReadsAWeightInPanelsAsItReadsRows) {
    if (!AmxProduct::usable()) GTEST_SKIP() << "only tiles of bfloat16 read panels";
    constexpr int64_t kRows = 33, kModel = 64, kVocab = 4160;
    TestTensor x({DType::kBF16, {1, kRows, kModel}}, normal_numbers({kRows, kModel}, 1));
    std::vector<double> tokens;
    for (int64_t i = 0; i < kRows; ++i) tokens.push_back(static_cast<double>(i * 977 % kVocab));
    TestTensor targets({DType::kI32, {1, kRows}}, tokens);
    for (const bool tied : {true, false}) {
        TwoLayouts weight(tied ? kVocab : kModel, tied ? kModel : kVocab);
        const LinearCrossEntropyOptions options{tied, 1.0};
        EXPECT_EQ(call_op(LinearCrossEntropy(options), {x, weight.panels, targets}),
                  call_op(LinearCrossEntropy(options), {x, weight.rows, targets}));
        EXPECT_EQ(call_op(LinearCrossEntropyWithGradient(options), {x, weight.panels, targets}),
                  call_op(LinearCrossEntropyWithGradient(options), {x, weight.rows, targets}));
    }
}

}  // namespace
}  // namespace headroom
