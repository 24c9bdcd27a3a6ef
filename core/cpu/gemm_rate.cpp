#include "core/cpu/gemm_rate.h"

#include <algorithm>
#include <array>
#include <functional>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/cpu/blas_library.h"
#include "core/cpu/gemm.h"

namespace headroom {
namespace {

constexpr std::array<int64_t, 4> kSizes = {512, 1024, 1536, 2048};
constexpr double kSecondsPerSize = 0.12;
constexpr int kFewestRepeats = 3;

/// Best rate of `product(n)` over all sizes. The first run of each size only warms up.
GemmRate best_rate(std::string library, const std::function<void(int64_t)>& product) {
    GemmRate best{std::move(library), 0, 0};
    for (const int64_t n : kSizes) {
        product(n);
        const double until = now_s() + kSecondsPerSize;
        for (int repeat = 0; repeat < kFewestRepeats || now_s() < until; ++repeat) {
            const double start = now_s();
            product(n);
            const auto size = static_cast<double>(n);
            const double gflops = 2e-9 * size * size * size / (now_s() - start);
            if (gflops > best.gflops) best = {best.library, gflops, n};
        }
    }
    return best;
}

/// Matrices of small numbers that no product can make large or denormal.
template <class T>
std::vector<T> numbers() {
    constexpr auto kCount = static_cast<size_t>(kSizes.back() * kSizes.back());
    std::vector<T> values(kCount);
    for (size_t i = 0; i < kCount; ++i)
        values[i] = static_cast<T>(static_cast<float>(i % 17) / 16.0f - 0.5f);
    return values;
}

GemmShape square(int64_t n) {
    return {n, n, n, false, false, n, n, n, false};
}

std::vector<GemmRate> float_rates() {
    const std::vector<float> a = numbers<float>(), b = numbers<float>();
    std::vector<float> c(a.size());
    std::vector<GemmRate> rates{
        best_rate("oneDNN", [&](int64_t n) { gemm(square(n), a.data(), b.data(), c.data()); })};
    for (const BlasLibrary* blas : {openblas(), blis()}) {
        if (blas == nullptr || blas->sgemm == nullptr) continue;
        constexpr int kRowMajor = 101, kPlain = 111;
        rates.push_back(best_rate(blas->name, [&](int64_t size) {
            const int n = static_cast<int>(size);
            blas->sgemm(kRowMajor, kPlain, kPlain, n, n, n, 1.0f, a.data(), n, b.data(), n, 0.0f,
                        c.data(), n);
        }));
    }
    return rates;
}

std::vector<GemmRate> bfloat16_rates() {
    const std::vector<bf16> a = numbers<bf16>(), b = numbers<bf16>();
    std::vector<float> c(a.size());
    Bf16Gemm product;
    return {best_rate(Bf16Gemm::native() ? "oneDNN" : "oneDNN, widened to float32",
                      [&](int64_t n) { product.run(square(n), a.data(), b.data(), c.data()); })};
}

}  // namespace

std::vector<GemmRate> measure_gemm_rates(DType dtype) {
    CHECK(dtype == DType::kF32 || dtype == DType::kBF16,
          "the ceilings are for float32 or bfloat16");
    std::vector<GemmRate> rates = dtype == DType::kF32 ? float_rates() : bfloat16_rates();
    std::sort(rates.begin(), rates.end(),
              [](const GemmRate& a, const GemmRate& b) { return a.gflops > b.gflops; });
    return rates;
}

}  // namespace headroom
