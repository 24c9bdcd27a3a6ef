#include "core/cpu/memory_rate.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/cpu/parallel.h"

namespace headroom {

constexpr int64_t kNumbers = int64_t{1} << 27;  // 512 MiB of float

MemoryReader::MemoryReader() : memory_(kNumbers * sizeof(float)) {
    if (memory_.data() == nullptr)
        throw EnvironmentError("not enough memory to measure how fast it is read",
                               "close other programs");
    auto* numbers = reinterpret_cast<float*>(memory_.data());
    parallel_for(kNumbers, 1, [&](int64_t begin, int64_t end) {
        std::fill(numbers + begin, numbers + end, 1.0f);
    });
}

double MemoryReader::read_once() {
    const auto* numbers = reinterpret_cast<const float*>(memory_.data());
    const double start = now_s();
    parallel_for(kNumbers, 1, [&](int64_t begin, int64_t end) {
        volatile const float kept = sum_of_numbers(numbers + begin, end - begin);
        static_cast<void>(kept);
    });
    return static_cast<double>(kNumbers) * sizeof(float) / (now_s() - start);
}

}  // namespace headroom
