// headroom-cuda.so: what the program asks for when a CUDA device is wanted, and the doctor.

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/system_info.h"
#include "cuda/device/check.h"
#include "cuda/device/cuda_device.h"
#include "cuda/device/examine_cuda.h"
#include "cuda/group/device_group.h"
#include "cuda/group/open_all_reduce.h"

extern "C" headroom::Device* headroom_open_cuda_device();

namespace headroom::cuda {
namespace {

/// Where this module lies, and with it that of NCCL.
std::filesystem::path module_folder() {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(&headroom_open_cuda_device), &info);
    return std::filesystem::path(info.dli_fname).parent_path();
}

DeviceIdentity device_of_this_process() {
    int device = 0;
    cudaDeviceProp properties{};
    check(cudaGetDevice(&device), "find its device");
    check(cudaGetDeviceProperties(&properties, device), "describe the device");
    DeviceIdentity identity{host_name(), fmt::format("{}, {} multiprocessors", properties.name,
                                                     properties.multiProcessorCount)};
    for (const char byte : properties.uuid.bytes)
        identity.unique += fmt::format(" {:02x}", static_cast<unsigned char>(byte));
    return identity;
}

std::unique_ptr<AllReduce> average_with_nccl(ProcessGroup& group) {
    check_devices(device_of_this_process(), group);
    return open_all_reduce(module_folder(), group);
}

}  // namespace
}  // namespace headroom::cuda

headroom::Device* headroom_open_cuda_device() {
    using namespace headroom::cuda;
    return make_cuda_device(make_cublaslt_library, average_with_nccl).release();
}

extern "C" void headroom_examine_cuda(headroom::CudaReport* report) {
    *report = headroom::cuda::examine_cuda();
}
