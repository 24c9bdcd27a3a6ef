#include "core/cpu/gemm_rate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/cpu/blas_library.h"
#include "core/cpu/gemm.h"
#include "core/cpu/onednn_product.h"

namespace headroom {
namespace {

constexpr std::array<int64_t, 4> kSizes = {512, 1024, 1536, 2048};
constexpr double kSecondsPerSize = 0.12, kSecondsNow = 0.05;
constexpr int kFewestRepeats = 3;

/// Best GFLOP/s of products of n x n matrices within so many seconds; the first only warms up.
double best_rate(const std::function<void(int64_t)>& product, int64_t n, double seconds) {
    double best = 0;
    product(n);
    const double until = now_s() + seconds;
    for (int repeat = 0; repeat < kFewestRepeats || now_s() < until; ++repeat) {
        const double start = now_s();
        product(n);
        const auto size = static_cast<double>(n);
        best = std::max(best, 2e-9 * size * size * size / (now_s() - start));
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

using TimedProduct = std::function<void(int64_t)>;

template <class T>
struct Matrices {
    std::vector<T> a = numbers<T>(), b = numbers<T>();
    std::vector<float> c = std::vector<float>(a.size());
};

std::vector<std::pair<std::string, TimedProduct>> float_products() {
    const auto m = std::make_shared<Matrices<float>>();
    std::vector<std::pair<std::string, TimedProduct>> products{
        {"oneDNN", [m](int64_t n) { gemm(square(n), m->a.data(), m->b.data(), m->c.data()); }}};
    for (const BlasLibrary* blas : {openblas(), blis()}) {
        if (blas == nullptr || blas->sgemm == nullptr) continue;
        constexpr int kRowMajor = 101, kPlain = 111;
        products.emplace_back(blas->name, [m, sgemm = blas->sgemm](int64_t size) {
            const int n = static_cast<int>(size);
            sgemm(kRowMajor, kPlain, kPlain, n, n, n, 1.0f, m->a.data(), n, m->b.data(), n, 0.0f,
                  m->c.data(), n);
        });
    }
    return products;
}

std::vector<std::pair<std::string, TimedProduct>> bfloat16_products() {
    const auto m = std::make_shared<Matrices<bf16>>();
    const auto by = [&](auto product) {
        return [m, product](int64_t n) {
            product->run(square(n), m->a.data(), m->b.data(), m->c.data());
        };
    };
    if (CpuGemm::native_bf16()) return {{"oneDNN", by(std::make_shared<OneDnnProduct>())}};
    return {{"oneDNN, widened to float32", by(std::make_shared<CpuGemm>())}};
}

}  // namespace

struct GemmMeter::Library {
    std::string name;
    TimedProduct product;
    GemmRate best = {};
};

GemmMeter::GemmMeter(DType dtype) {
    CHECK(dtype == DType::kF32 || dtype == DType::kBF16,
          "the ceilings are for float32 or bfloat16");
    for (auto& [name, product] : dtype == DType::kF32 ? float_products() : bfloat16_products())
        libraries_.push_back({name, std::move(product)});
}
GemmMeter::~GemmMeter() = default;

std::vector<GemmRate> GemmMeter::rates() {
    std::vector<GemmRate> rates;
    for (Library& library : libraries_) {
        library.best = {library.name, 0, 0};
        for (const int64_t n : kSizes) {
            const double gflops = best_rate(library.product, n, kSecondsPerSize);
            if (gflops > library.best.gflops) library.best = {library.name, gflops, n};
        }
        rates.push_back(library.best);
    }
    std::sort(rates.begin(), rates.end(),
              [](const GemmRate& a, const GemmRate& b) { return a.gflops > b.gflops; });
    return rates;
}

double GemmMeter::rate_now() {
    if (!libraries_.empty() && libraries_.front().best.size == 0) rates();
    double best = 0;
    for (const Library& library : libraries_)
        best = std::max(best, best_rate(library.product, library.best.size, kSecondsNow));
    return best;
}

}  // namespace headroom
