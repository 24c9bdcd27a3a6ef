#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headroom {

/// One GPU that the driver shows to this process.
struct CudaGpu {
    std::string name;
    int64_t memory_bytes = 0;
    int major = 0, minor = 0;  ///< compute capability
};

/// What the CUDA module says of itself and of this machine.
struct CudaReport {
    std::string toolkit;        ///< that it was built with, "13.0"
    std::string architectures;  ///< that it was built for, as CMake has them: "80, 90-real"
    std::string driver;         ///< newest CUDA that the driver serves, "13.0"; "" without a driver
    std::string problem;        ///< why no GPU can be used; "" if one can
    std::vector<CudaGpu> gpus;
    int chosen = 0;         ///< which of them this process would take
    bool optimised = true;  ///< else its kernels were only to compile, where there was no GPU
};

}  // namespace headroom
