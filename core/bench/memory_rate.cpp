#include "core/bench/memory_rate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "core/cpu/parallel.h"

namespace headroom {
namespace {

constexpr int64_t kNumbers = int64_t{1} << 28;  // 1 GiB of float
constexpr int kPasses = 5;

/// Four sums, so that no addition waits for the one before it.
float sum_of(const float* x, int64_t count) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < count; ++i) sum += x[i];
    return sum;
}

}  // namespace

double measure_memory_rate() {
    std::vector<float> numbers(static_cast<size_t>(kNumbers), 1.0f);
    double best = 0;
    volatile float kept = 0;
    for (int pass = 0; pass < kPasses; ++pass) {
        const auto start = std::chrono::steady_clock::now();
        parallel_for(kNumbers, 1, [&](int64_t begin, int64_t end) {
            kept = sum_of(numbers.data() + begin, end - begin);
        });
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::max(best, static_cast<double>(kNumbers) * sizeof(float) / seconds.count());
    }
    return best;
}

}  // namespace headroom
