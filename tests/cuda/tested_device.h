#pragma once

#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/device/cuda_module.h"
#include "core/device/device.h"
#ifndef HEADROOM_CUDA_ON_DEVICE
#include "tests/cuda/emulation/emulated_device.h"
#endif

namespace headroom {

/// The CUDA device that these tests look at: the real one in cuda_device_tests (ctest label
/// `cuda`), the one that runs on the host in cuda_tests. Null, with the reason, where there is
/// none.
inline std::unique_ptr<Device> tested_cuda_device(std::string& why_not) {
#ifdef HEADROOM_CUDA_ON_DEVICE
    try {
        return open_cuda_device(HEADROOM_CUDA_ON_DEVICE);
    } catch (const std::exception& error) {
        why_not = error.what();
        return nullptr;
    }
#else
    why_not.clear();
    return make_emulated_cuda_device();
#endif
}

}  // namespace headroom
