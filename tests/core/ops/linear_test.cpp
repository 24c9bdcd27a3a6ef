#include "core/ops/linear.h"

#include <gtest/gtest.h>

#include "core/base/cpu_features.h"
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

}  // namespace
}  // namespace headroom
