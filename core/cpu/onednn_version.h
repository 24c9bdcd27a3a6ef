#pragma once

#include <string>

namespace headroom {

/// Version and threading runtime of the oneDNN library in use, such as "2.6.3 (OpenMP)".
std::string onednn_version();

}  // namespace headroom
