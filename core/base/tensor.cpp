#include "core/base/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headroom {

int64_t count_of(const Shape& shape) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    return count;
}

std::string to_string(const Shape& shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string to_string(const TensorType& type) {
    return fmt::format("{} {}{}", name_of(type.dtype), to_string(type.shape),
                       type.layout == MemoryLayout::kPanels ? " in panels" : "");
}

DType accumulator_of(DType dtype) {
    return dtype == DType::kF64 ? DType::kF64 : DType::kF32;
}

}  // namespace headroom
