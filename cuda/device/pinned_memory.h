#pragma once

#include <cstddef>

#include <cuda_runtime.h>

#include "cuda/device/check.h"

namespace headroom::cuda {

/// Page-locked memory of the host: the device copies from and to it on its own, in its stream's
/// turn.
class PinnedMemory {
  public:
    explicit PinnedMemory(size_t bytes) {
        check(cudaMallocHost(&data_, bytes), "lock memory of the host");
    }
    ~PinnedMemory() { cudaFreeHost(data_); }
    PinnedMemory(const PinnedMemory&) = delete;
    PinnedMemory& operator=(const PinnedMemory&) = delete;

    std::byte* data() const { return static_cast<std::byte*>(data_); }

  private:
    void* data_ = nullptr;
};

}  // namespace headroom::cuda
