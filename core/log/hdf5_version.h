#pragma once

#include <string>

namespace headroom {

/// Version of the HDF5 library that this program runs with, such as "1.10.8".
std::string hdf5_version();

}  // namespace headroom
