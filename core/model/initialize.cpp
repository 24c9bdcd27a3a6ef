#include "core/model/initialize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/hash.h"
#include "core/base/philox.h"
#include "core/cpu/parallel.h"

namespace headroom {
namespace {

/// Two independent standard normal numbers from two words (Box and Muller 1958).
std::array<double, 2> normal_pair(uint32_t a, uint32_t b) {
    const double radius = std::sqrt(-2.0 * std::log((static_cast<double>(a) + 1.0) * 0x1.0p-32));
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(b) * 0x1.0p-32;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// The normal numbers of columns 4 c .. 4 c + 3 of a row. Seeds mean these numbers: do not change.
std::array<double, 4> normals(uint64_t key, uint32_t row, uint32_t c) {
    const auto words =
        Philox::block({c, row, 0, 0}, static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
    const auto first = normal_pair(words[0], words[1]);
    const auto second = normal_pair(words[2], words[3]);
    return {first[0], first[1], second[0], second[1]};
}

uint64_t key_of(const std::string& name, uint64_t seed) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(name.data());
    return hash_bytes({bytes, name.size()}, kHashSeed ^ (seed * 0x9e3779b97f4a7c15u));
}

}  // namespace

template <class T>
void fill_initial(const ParameterSpec& spec, uint64_t seed, std::span<T> values) {
    CHECK(static_cast<int64_t>(values.size()) == spec.count(), spec.name + " has another size");
    if (!spec.init_values.empty()) {
        CHECK(spec.init_values.size() == values.size(), spec.name + " is not given in full");
        std::transform(spec.init_values.begin(), spec.init_values.end(), values.begin(),
                       [](double value) { return static_cast<T>(value); });
        return;
    }
    if (spec.init_std == 0.0) {
        std::fill(values.begin(), values.end(), static_cast<T>(spec.init_value));
        return;
    }
    const uint64_t key = key_of(spec.name, seed);
    const int64_t columns = spec.shape.back();
    parallel_for(spec.count() / columns, 16, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row)
            for (int64_t c = 0; c < columns; c += 4) {
                const auto four =
                    normals(key, static_cast<uint32_t>(row), static_cast<uint32_t>(c / 4));
                for (int64_t j = 0; j < std::min<int64_t>(4, columns - c); ++j)
                    values[static_cast<size_t>(row * columns + c + j)] =
                        static_cast<T>(spec.init_std * four[static_cast<size_t>(j)]);
            }
    });
}

template void fill_initial(const ParameterSpec&, uint64_t, std::span<float>);
template void fill_initial(const ParameterSpec&, uint64_t, std::span<double>);

}  // namespace headroom
