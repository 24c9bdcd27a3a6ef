#pragma once

#include <string>

namespace headroom {

/// Version and threading runtime of the oneDNN library in use, such as "2.6.3 (OpenMP)".
std::string onednn_version();

/// Which matrix products oneDNN takes on this processor, as far as they differ in speed here.
enum class OneDnnKernels { kAvx2, kAvx512, kBf16, kAmx };
OneDnnKernels onednn_kernels();

}  // namespace headroom
