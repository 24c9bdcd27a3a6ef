#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/base/bf16.h"
#include "core/base/error.h"
#include "core/base/f16.h"
#include "core/checkpoint/safetensors.h"

namespace headroom {

/// Turns numbers into the bytes of a floating stored type and counts those that are not finite. The
/// bytes stay until the next tensor.
class NumberEncoder {
  public:
    template <class T>
    std::span<const std::byte> encode(const std::vector<T>& values, StoredType type) {
        switch (type) {
            case StoredType::kF64:
                return as<double>(values);
            case StoredType::kF32:
                return as<float>(values);
            case StoredType::kBF16:
                return as<bf16>(values);
            case StoredType::kF16:
                return as<f16>(values);
            default:
                CHECK(false, "weights are stored in a floating type");
        }
    }

    /// Numbers that are of the stored type already are kept as they are, not copied.
    template <class T>
    std::span<const std::byte> encode(std::vector<T>&& values, StoredType type) {
        constexpr StoredType kOwn = std::is_same_v<T, double> ? StoredType::kF64 : StoredType::kF32;
        if (type != kOwn) return encode(values, type);
        overflown_ = 0;
        not_finite_ = std::count_if(values.begin(), values.end(),
                                    [](T value) { return !std::isfinite(value); });
        std::vector<T>& kept = std::get<std::vector<T>>(kept_);
        kept = std::move(values);
        return std::as_bytes(std::span(kept));
    }

    /// Gives back the memory of the last tensor.
    void clear() { *this = {}; }

    int64_t not_finite() const { return not_finite_; }  ///< of the last tensor, as read
    int64_t overflown() const { return overflown_; }    ///< finite only before it was stored

  private:
    template <class Stored, class T>
    std::span<const std::byte> as(const std::vector<T>& values) {
        bytes_.resize(values.size() * sizeof(Stored));
        not_finite_ = overflown_ = 0;
        using Wide = std::conditional_t<std::is_same_v<Stored, double>, double, float>;
        for (size_t i = 0; i < values.size(); ++i) {
            const Stored stored(static_cast<Wide>(values[i]));
            std::memcpy(&bytes_[i * sizeof(Stored)], &stored, sizeof(Stored));
            if (!std::isfinite(values[i]))
                ++not_finite_;
            else if (!std::isfinite(static_cast<Wide>(stored)))
                ++overflown_;
        }
        return bytes_;
    }

    std::vector<std::byte> bytes_;
    std::tuple<std::vector<float>, std::vector<double>> kept_;
    int64_t not_finite_ = 0, overflown_ = 0;
};

}  // namespace headroom
