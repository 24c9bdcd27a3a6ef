#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/device/device.h"

namespace headroom {

/// Which device the tests see is said by the program that they are linked into: cuda_tests has one
/// that runs on the host (emulation/tested_device.cpp), cuda_device_tests (ctest label `cuda`) the
/// real one, out of the module beside the program (device/tested_device.cpp).
bool tested_device_is_emulated();

/// That device. Null, with the reason, where this machine has none. A module that cannot be loaded
/// is an error.
std::unique_ptr<Device> tested_cuda_device(std::string& why_not);

/// With how many threads the kernels work on a row.
enum class RowThreads {
    kOne,  ///< where the device is emulated: much faster
    kAll,  ///< as on a GPU
};

/// Says how an emulated device runs for as long as this lives; a GPU goes its own way.
class WithRowThreads {
  public:
    /// Blocks and warps take turns in another order for every seed.
    explicit WithRowThreads(RowThreads threads, uint64_t seed = 1);
    ~WithRowThreads();
    WithRowThreads(const WithRowThreads&) = delete;
    WithRowThreads& operator=(const WithRowThreads&) = delete;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace headroom
