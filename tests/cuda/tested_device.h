#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/device/cuda_module.h"
#include "core/device/device.h"
#ifndef HEADROOM_CUDA_ON_DEVICE
#include "tests/cuda/emulation/emulated_device.h"
#include "tests/cuda/emulation/simt.h"
#endif

namespace headroom {

#ifdef HEADROOM_CUDA_ON_DEVICE
inline constexpr bool kEmulated = false;
#else
inline constexpr bool kEmulated = true;
#endif

/// The CUDA device that these tests look at: the real one in cuda_device_tests (ctest label
/// `cuda`), out of the module beside the program; the one that runs on the host in cuda_tests.
/// Null, with the reason, where this machine has none. A module that cannot be loaded is an error.
inline std::unique_ptr<Device> tested_cuda_device(std::string& why_not) {
#ifdef HEADROOM_CUDA_ON_DEVICE
    try {
        return open_cuda_device(std::filesystem::read_symlink("/proc/self/exe").parent_path());
    } catch (const EnvironmentError& error) {
        why_not = error.what();
        if (why_not.find("cannot be loaded") != std::string::npos) throw;
        return nullptr;
    }
#else
    why_not.clear();
    return make_emulated_cuda_device();
#endif
}

/// With how many threads the kernels work on a row.
enum class RowThreads {
    kOne,  ///< where the device is emulated: much faster
    kAll,  ///< as on a GPU
};

/// Emulates a device with so many for as long as it lives; a GPU has all.
class WithRowThreads {
  public:
    explicit WithRowThreads([[maybe_unused]] RowThreads threads)
#ifdef HEADROOM_CUDA_ON_DEVICE
        {}
#else
        : with_({.many_threads = threads == RowThreads::kAll}) {
    }

  private:
    cuda::simt::With with_;
#endif
};

}  // namespace headroom
