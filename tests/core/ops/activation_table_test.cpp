// Activations of bfloat16 are read from tables: the same as float32 computes, for every number.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/ops/activation.h"
#include "tests/core/ops/op_call.h"

namespace headroom {
namespace {

using Numbers = std::vector<double>;

/// Every bfloat16 number up to 10,000, and three more than whole vectors hold.
Numbers every_number() {
    Numbers numbers;
    for (uint32_t bits = 0; bits < 1 << 16; ++bits) {
        bf16 x;
        x.bits = static_cast<uint16_t>(bits);
        if (std::fabs(static_cast<float>(x)) <= 1e4f) numbers.push_back(static_cast<float>(x));
    }
    while (numbers.size() % 64 != 3) numbers.push_back(0.5);
    return numbers;
}

TestTensor tensor(DType dtype, const Numbers& numbers) {
    return {{dtype, {static_cast<int64_t>(numbers.size())}}, numbers};
}

/// Outputs of `op` in bfloat16 are those in float32, rounded; where two roundings meet, the next
/// number will do.
void expect_rounded(const Op& op, const std::vector<Numbers>& inputs) {
    std::vector<TestTensor> halves, floats;
    for (const Numbers& numbers : inputs) {
        halves.push_back(tensor(DType::kBF16, numbers));
        floats.push_back(tensor(DType::kF32, numbers));
    }
    const auto half = call_op(op, halves), full = call_op(op, floats);
    ASSERT_EQ(half.size(), full.size());
    int64_t apart = 0;
    for (size_t o = 0; o < half.size(); ++o)
        for (size_t i = 0; i < half[o].size(); ++i) {
            const double rounded = static_cast<float>(bf16(static_cast<float>(full[o][i])));
            if (half[o][i] == rounded) continue;
            // Rounding to bfloat16 takes what is below 2^-126 for zero.
            const double next = std::max(std::fabs(rounded) * 0x1p-7, 0x1p-126);
            ASSERT_NEAR(half[o][i], rounded, next) << inputs[0][i];
            if (std::fabs(rounded) > 0x1p-120) ++apart;
        }
    EXPECT_LT(apart, static_cast<int64_t>(inputs[0].size()) / 1000);
}

class TableTest : public testing::TestWithParam<ActivationKind> {};

TEST_P(TableTest, ReadsWhatIsComputed) {
    const ActivationKind kind = GetParam();
    const Numbers x = every_number();
    Numbers up, dy;
    for (size_t i = 0; i < x.size(); ++i) {
        up.push_back(static_cast<double>(i % 7) / 4 - 0.75);
        dy.push_back(static_cast<double>(i % 11) / 8 - 0.5);
    }
    expect_rounded(Activation(kind), {x});
    expect_rounded(ActivationBackward(kind), {x, dy});
    expect_rounded(GatedActivation(kind), {x, up});
    expect_rounded(GatedActivationBackward(kind, true, true), {x, up, dy});
    expect_rounded(GatedActivationBackward(kind, true, false), {x, up, dy});
    expect_rounded(GatedActivationBackward(kind, false, true), {x, up, dy});
}

INSTANTIATE_TEST_SUITE_P(Kinds, TableTest,
                         testing::Values(ActivationKind::kGelu, ActivationKind::kGeluTanh,
                                         ActivationKind::kRelu, ActivationKind::kSilu),
                         [](const auto& test) {
                             std::string name(name_of(test.param));
                             std::erase(name, '_');
                             return name;
                         });

}  // namespace
}  // namespace headroom
