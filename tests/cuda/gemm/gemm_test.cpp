// What a choice of algorithm depends on, and products without a library.
#include <random>

#include <gtest/gtest.h>

#include "cuda/device/stream.h"
#include "cuda/gemm/gemm_key.h"
#include "cuda/gemm/plain_gemm.h"
#include "tests/cuda/emulation/emulated_gemm.h"

namespace headroom::cuda {
namespace {

/// Memory whose first byte is aligned to 64.
struct alignas(64) Numbers {
    std::byte bytes[4096];
};

Gemm gemm_of(const Numbers& a, const Numbers& b, Numbers& c, DType in, DType out) {
    return {{6, 8, 5, false, true, 5, 5, 8, false}, in, a.bytes, b.bytes, out, c.bytes};
}

TEST(Alignment, IsWhatTheAddressIsAMultipleOf) {
    const Numbers numbers{};
    EXPECT_EQ(alignment_of(numbers.bytes), 16);
    EXPECT_EQ(alignment_of(numbers.bytes + 2), 2);
    EXPECT_EQ(alignment_of(numbers.bytes + 12), 4);
    EXPECT_EQ(alignment_of(numbers.bytes + 24), 8);
}

TEST(GemmKeys, AreOfSizesTypesAlignmentsAndEpilogues) {
    const Numbers a{}, b{}, d{};
    Numbers c{}, e{};
    const Gemm product = gemm_of(a, b, c, DType::kBF16, DType::kF32);
    const GemmKey key(product, {});
    EXPECT_EQ(key.text(), "bfloat16 -> float32 m6 n8 k5 NT 5 5 8 align 16 16 16");
    Gemm other = product;
    other.a = d.bytes, other.c = e.bytes, other.shape.accumulate = true;
    EXPECT_EQ(GemmKey(other, {}), key);
    other.a = d.bytes + 2;
    EXPECT_EQ(GemmKey(other, {}).text(), "bfloat16 -> float32 m6 n8 k5 NT 5 5 8 align 2 16 16");
    other.batch = {3, 30, 40, 48};
    Epilogue epilogue;
    epilogue.bias = d.bytes, epilogue.gelu = true, epilogue.add = d.bytes + 4;
    EXPECT_EQ(GemmKey(other, epilogue).text(),
              "bfloat16 -> float32 m6 n8 k5 NT 5 5 8 align 2 16 4 batch 3 30 40 48 add bias gelu");
}

TEST(Epilogues, AreAskedForWhereTheLibraryMayHaveThem) {
    Numbers a{}, b{}, c{};
    Gemm p = gemm_of(a, b, c, DType::kBF16, DType::kBF16);
    Epilogue gelu, bias, kept, sums;
    gelu.gelu = true;
    bias.bias = a.bytes;
    kept.slope_at = a.bytes;
    sums.column_sums = a.bytes;
    EXPECT_TRUE(may_have_epilogue(p, gelu));
    EXPECT_TRUE(may_have_epilogue(p, bias));
    EXPECT_TRUE(may_have_epilogue(p, kept));
    EXPECT_FALSE(may_have_epilogue(p, sums)) << "B is transposed";
    p.shape.b_transposed = false;
    EXPECT_TRUE(may_have_epilogue(p, sums));
    p.shape.ldc = 9;
    EXPECT_FALSE(may_have_epilogue(p, kept)) << "rows of 18 bytes";
    p.shape.ldc = 8;
    kept.slope_at = a.bytes + 2;
    EXPECT_FALSE(may_have_epilogue(p, kept));
    p.in = p.out = DType::kF32;
    EXPECT_FALSE(may_have_epilogue(p, gelu)) << "an approximation";
    EXPECT_TRUE(may_have_epilogue(p, bias));
    p.batch.count = 2;
    EXPECT_FALSE(may_have_epilogue(p, bias));
}

class PlainGemm : public testing::TestWithParam<std::tuple<bool, bool, bool>> {};

/// Odd strides and a batch, against the loops of the emulated library.
TEST_P(PlainGemm, IsTheProduct) {
    const auto [a_transposed, b_transposed, accumulate] = GetParam();
    std::mt19937 random(3);
    Numbers a{}, b{}, c{}, expected{};
    for (Numbers* numbers : {&a, &b, &c})
        for (int i = 0; i < 512; ++i)
            reinterpret_cast<double*>(numbers->bytes)[i] = static_cast<double>(random() % 100) / 7;
    expected = c;
    Gemm p{{4, 3, 5, a_transposed, b_transposed, 7, 9, 11, accumulate},
           DType::kF64,
           a.bytes,
           b.bytes,
           DType::kF64,
           c.bytes,
           {3, 50, 60, 45}};
    const Stream stream;
    run_plain_gemm(p, stream.get());
    p.c = expected.bytes;
    EmulatedGemmLibrary().run(p, stream.get());
    stream.wait();
    for (int i = 0; i < 512; ++i)
        EXPECT_NEAR(reinterpret_cast<double*>(c.bytes)[i],
                    reinterpret_cast<double*>(expected.bytes)[i], 1e-10)
            << i;
}

INSTANTIATE_TEST_SUITE_P(Of, PlainGemm,
                         testing::Combine(testing::Bool(), testing::Bool(), testing::Bool()));

TEST(Span, IsFromTheFirstNumberOfCToItsLast) {
    Numbers a{}, b{}, c{};
    Gemm p = gemm_of(a, b, c, DType::kF32, DType::kF32);
    EXPECT_EQ(span_of_c(p), 48);
    p.shape.ldc = 10, p.batch = {3, 0, 0, 100};
    EXPECT_EQ(span_of_c(p), 200 + 50 + 8);
}

}  // namespace
}  // namespace headroom::cuda
