#pragma once

#include <array>
#include <span>
#include <string>

#include "core/base/dtype.h"

namespace headroom {

/// What a forward pass computes in, and what a cache or the tensors of a file are held in.
inline constexpr std::array kComputedTypes{DType::kF32, DType::kF64, DType::kBF16};
inline constexpr std::array kHeldTypes{DType::kF32, DType::kF64, DType::kBF16, DType::kF16};

/// The number type that an option such as --dtype says, one of `known`. Else a UserError, "OPTION
/// TEXT cannot USE", that names those, behind the word `also` if there is one.
DType dtype_option(const std::string& option, const std::string& text, std::span<const DType> known,
                   const std::string& use, const std::string& also = "");

/// The same for what computes.
DType computed_type_option(const std::string& option, const std::string& text);

}  // namespace headroom
