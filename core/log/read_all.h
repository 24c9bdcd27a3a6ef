#pragma once

#include <filesystem>

#include "core/log/reading.h"

namespace headroom::h5 {

/// Reads with HDF5 what a reader of this program may read of a file: all attributes, and of each
/// array its shape and a value of every chunk; of a file of another program its integers. What the
/// library refuses is passed over.
void read_all_of(const std::filesystem::path& path, Reading reading);

}  // namespace headroom::h5
