// The device that runs on the host, with no GPU.
#include "tests/cuda/tested_device.h"

#include "tests/cuda/emulation/emulated_device.h"
#include "tests/cuda/emulation/simt.h"

namespace headroom {

bool tested_device_is_emulated() {
    return true;
}

std::unique_ptr<Device> tested_cuda_device(std::string& why_not) {
    why_not.clear();
    return make_emulated_cuda_device();
}

struct WithRowThreads::State {
    cuda::simt::With with;
};

WithRowThreads::WithRowThreads(RowThreads threads, uint64_t seed)
    : state_(new State{
          cuda::simt::With({.many_threads = threads == RowThreads::kAll, .seed = seed})}) {}

WithRowThreads::~WithRowThreads() = default;

}  // namespace headroom
