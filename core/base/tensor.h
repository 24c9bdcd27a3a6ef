#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/error.h"

namespace headroom {

/// Sizes of a dense row-major tensor, outermost first. A scalar is {1}.
using Shape = std::vector<int64_t>;

int64_t count_of(const Shape& shape);
/// "[2, 3]"
std::string to_string(const Shape& shape);

/// How the numbers of a tensor lie in memory.
enum class MemoryLayout : uint8_t {
    kRows,    ///< dense, row-major
    kPanels,  ///< a bfloat16 weight [in, out] as tiles multiply it: core/cpu/weight_panels.h
};

struct TensorType {
    DType dtype = DType::kF32;
    Shape shape;
    MemoryLayout layout = MemoryLayout::kRows;

    int64_t count() const { return count_of(shape); }
    int64_t bytes() const { return count() * static_cast<int64_t>(size_of(dtype)); }
    /// Size of the last dimension, and the product of all others: the tensor seen as a matrix.
    int64_t columns() const { return shape.back(); }
    int64_t rows() const { return columns() == 0 ? 0 : count() / columns(); }
    bool operator==(const TensorType&) const = default;
};
std::string to_string(const TensorType& type);

/// The type of sums over `dtype`, of parameters and of their gradients: float64 for float64,
/// float32 for all other floating types.
DType accumulator_of(DType dtype);

/// A typed view of memory that somebody else owns.
struct Tensor {
    void* data = nullptr;
    TensorType type;

    template <class T>
    T* as() const {
        return static_cast<T*>(data);
    }
    int64_t count() const { return type.count(); }
    int64_t rows() const { return type.rows(); }
    int64_t columns() const { return type.columns(); }
};

}  // namespace headroom
