// GELU in bfloat16, at every number that it may be given.
#include "core/ops/activation.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/device/check.h"
#include "cuda/kernel.h"
#include "tests/cuda/emulation/emulated_device.h"

namespace headroom {
namespace {

/// All finite numbers of bfloat16 of magnitude below 12.
std::vector<bf16> all_numbers() {
    std::vector<bf16> numbers;
    for (uint32_t bits = 0; bits < 65536; ++bits) {
        bf16 x;
        x.bits = static_cast<uint16_t>(bits);
        if (std::abs(static_cast<float>(x)) < 12) numbers.push_back(x);
    }
    return numbers;
}

std::vector<bf16> launch(const Op& op, const std::vector<std::vector<bf16>>& in) {
    const TensorType type{DType::kBF16, {static_cast<int64_t>(in[0].size())}};
    std::vector<bf16> out(in[0].size());
    std::vector<Tensor> inputs;
    for (const std::vector<bf16>& x : in) inputs.push_back({const_cast<bf16*>(x.data()), type});
    const std::vector<Tensor> outputs{{out.data(), type}};
    const std::vector<uint8_t> flags{0};
    const std::vector<TensorType> types(in.size(), type);
    const StepContext step;
    const auto products = make_emulated_gemm_library();
    cuda::make_kernel(op, types).launch(
        {inputs, outputs, flags, nullptr, &step, *products, nullptr});
    cuda::check(cudaDeviceSynchronize(), "run a kernel");
    return out;
}

double cdf(double x) {
    return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

/// Half of the last bit that is kept, and the polynomial's share.
void expect_rounded(float actual, double exact, double scale) {
    EXPECT_NEAR(actual, exact, (1.0 / 256 + 5e-5) * scale + 1e-38);
}

TEST(CudaGelu, IsRoundedAsWellAsTheExactOne) {
    const std::vector<bf16> x = all_numbers();
    const std::vector<bf16> y = launch(Activation(ActivationKind::kGelu), {x});
    for (size_t i = 0; i < x.size(); ++i) {
        const double value = static_cast<float>(x[i]), exact = value * cdf(value);
        expect_rounded(static_cast<float>(y[i]), exact, std::abs(exact));
    }
}

TEST(CudaGelu, HasASlopeOfTheSamePrecision) {
    const std::vector<bf16> x = all_numbers();
    const std::vector<bf16> ones(x.size(), bf16(1.0f));
    const std::vector<bf16> dx = launch(ActivationBackward(ActivationKind::kGelu), {x, ones});
    for (size_t i = 0; i < x.size(); ++i) {
        const double value = static_cast<float>(x[i]);
        const double bell = std::exp(-0.5 * value * value) / std::sqrt(2 * std::acos(-1.0));
        expect_rounded(static_cast<float>(dx[i]), cdf(value) + value * bell,
                       cdf(value) + std::abs(value) * bell);  // terms that cancel near -0.75
    }
}

}  // namespace
}  // namespace headroom
