#include "tests/cuda/emulation/emulated_device.h"

#include "cuda/device/cuda_device.h"
#include "tests/cuda/emulation/emulated_gemm.h"

/// cuda/group/nccl_all_reduce.cpp, over fake_nccl.cpp.
extern "C" headroom::cuda::AllReduce* headroom_make_nccl_all_reduce(headroom::ProcessGroup* group);

namespace headroom {
namespace {

std::unique_ptr<cuda::GemmLibrary> make_gemm_library_without_epilogues() {
    return std::make_unique<EmulatedGemmLibrary>(false);
}

std::unique_ptr<cuda::AllReduce> make_all_reduce(ProcessGroup& group) {
    return std::unique_ptr<cuda::AllReduce>(headroom_make_nccl_all_reduce(&group));
}

}  // namespace

std::unique_ptr<cuda::GemmLibrary> make_emulated_gemm_library() {
    return std::make_unique<EmulatedGemmLibrary>();
}

std::unique_ptr<Device> make_emulated_cuda_device() {
    return cuda::make_cuda_device(make_emulated_gemm_library, make_all_reduce);
}

std::unique_ptr<Device> make_emulated_cuda_device_without_epilogues() {
    return cuda::make_cuda_device(make_gemm_library_without_epilogues, make_all_reduce);
}

std::unique_ptr<Device> make_emulated_cuda_device_with_library() {
    return cuda::make_cuda_device(cuda::make_cublaslt_library, make_all_reduce);
}

}  // namespace headroom
