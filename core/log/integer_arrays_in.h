#pragma once

#include <cstdint>
#include <vector>

#include "core/log/h5.h"
#include "core/log/integer_array.h"

/// What integer_array.h does with a file that is open: in the program, and before it in a trial.
/// Private to core/log/.
namespace headroom::h5 {

std::vector<IntegerArray> integer_arrays_in(hid_t file);
/// All values; those beyond int32 become the nearest number. REQUIRES: memory for `array.count`.
std::vector<int32_t> read_integers_in(hid_t file, const IntegerArray& array);

}  // namespace headroom::h5
