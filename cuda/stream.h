#pragma once

#include <cuda_runtime.h>

#include "cuda/check.h"

namespace headroom::cuda {

/// A stream of the device: what is put into it runs in order.
class Stream {
  public:
    Stream() { check(cudaStreamCreate(&stream_), "make a stream"); }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    cudaStream_t get() const { return stream_; }
    /// Until all of it is done; EnvironmentError if a kernel failed.
    void wait() const { check(cudaStreamSynchronize(stream_), "run a kernel"); }

  private:
    cudaStream_t stream_ = nullptr;
};

}  // namespace headroom::cuda
