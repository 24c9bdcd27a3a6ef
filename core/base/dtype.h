#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/base/bf16.h"

namespace headroom {

/// Element types of graph values and checkpoint tensors. Live on disk by name, never by number.
enum class DType { kF32, kF64, kBF16, kF16, kI32, kU8 };

size_t size_of(DType dtype);
/// "float32", "float64", "bfloat16", "float16", "int32", "uint8": the spelling of job files.
std::string_view name_of(DType dtype);
/// "f32", "f64", "bf16", "f16", "i32", "u8": the spelling of the command line.
std::string_view short_name(DType dtype);
/// The type of either spelling; none for anything else.
std::optional<DType> find_dtype(std::string_view text);
/// Accepts both the long spelling and the short one of the command line (f32, f64, bf16, f16).
/// Throws UserError for anything else.
DType parse_dtype(std::string_view text);

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
    static constexpr DType value = DType::kF32;
};
template <>
struct DTypeOf<double> {
    static constexpr DType value = DType::kF64;
};
template <>
struct DTypeOf<bf16> {
    static constexpr DType value = DType::kBF16;
};

/// The type in which sums over T are accumulated.
template <class T>
struct Accumulator {
    using type = float;
};
template <>
struct Accumulator<double> {
    using type = double;
};
template <class T>
using accumulator_t = typename Accumulator<T>::type;

}  // namespace headroom
