#pragma once

#include <string>

#include "core/base/tensor.h"
#include "core/log/h5.h"

/// What the writer and the reader of array files share. Private to core/log/.
namespace headroom::h5 {

/// The type in the file of arrays of `dtype`; REQUIRES: kF32, kF64, kI32 or kU8.
hid_t stored_type(DType dtype);
/// A selection of the box [first, first + shape) of a data set.
Id box_of(const Id& dataset, const Shape& first, const Shape& shape);
/// A dense shape in memory.
Id dense_space(const Shape& shape);

}  // namespace headroom::h5
