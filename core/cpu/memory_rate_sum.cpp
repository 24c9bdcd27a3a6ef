#include "core/cpu/memory_rate.h"
#include "core/cpu/vectors.h"

namespace headroom {

/// Several sums, so that no addition waits for the one before it.
float sum_of_numbers(const float* x, int64_t count) {
    constexpr int64_t kSums = 8, kAtOnce = kSums * kLanes<float>;
    Vector<float> sums[kSums] = {};
    int64_t i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce)
        for (int64_t s = 0; s < kSums; ++s) sums[s] += load_vector(x + i + s * kLanes<float>);
    float sum = 0;
    for (const Vector<float>& part : sums) sum += sum_of_lanes<float>(part);
    for (; i < count; ++i) sum += x[i];
    return sum;
}

}  // namespace headroom
