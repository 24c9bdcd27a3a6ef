#include "cuda/device/cuda_device.h"

#include <algorithm>

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "cuda/device/check.h"
#include "cuda/device/cuda_ceilings.h"
#include "cuda/device/cuda_executor.h"
#include "cuda/device/device_choice.h"

namespace headroom::cuda {
namespace {

constexpr int kOldestMajor = 8;  ///< the first with bfloat16 products

/// The device of this process, which is this thread's from now on.
cudaDeviceProp take_device() {
    int count = 0;
    check(cudaGetDeviceCount(&count), "look for devices");
    if (count == 0) throw EnvironmentError("this machine has no CUDA device", "use --device cpu");
    const int device = choose_device(count, local_rank());
    check(cudaSetDevice(device), "take a device");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "describe the device");
    if (properties.major < kOldestMajor)
        throw EnvironmentError(
            fmt::format("{} has compute capability {}.{}, and {}.0 is needed", properties.name,
                        properties.major, properties.minor, kOldestMajor),
            "choose another with CUDA_VISIBLE_DEVICES, or use --device cpu");
    return properties;
}

class CudaDevice : public Device {
  public:
    CudaDevice(std::unique_ptr<GemmLibrary> (*make_gemm_library)(), MakeAllReduce make_all_reduce)
        : make_gemm_library_(make_gemm_library),
          make_all_reduce_(make_all_reduce),
          properties_(take_device()) {}

    std::string_view kind() const override { return "cuda"; }
    std::string description() const override {
        return fmt::format("{}, compute capability {}.{}, {} multiprocessors", properties_.name,
                           properties_.major, properties_.minor, properties_.multiProcessorCount);
    }
    void check_precision(DType dtype) const override {
        if (dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kBF16) return;
        throw UserError(fmt::format("precision: {} cannot be computed in", name_of(dtype)),
                        "use float32, float64 or bfloat16");
    }
    int threads() const override { return 1; }
    /// Of one prompt as many as fill the device; of many together about so many.
    int64_t prefill_chunk(int64_t batch_size) const override {
        constexpr int64_t kRows = 16384, kMost = 1024;
        return std::clamp<int64_t>(kRows / batch_size, kPrefillChunk, kMost);
    }
    std::unique_ptr<Executor> prepare(const Graph& graph) override {
        return make_cuda_executor(graph, make_gemm_library_(), properties_.name, make_all_reduce_);
    }
    std::unique_ptr<DeviceCeilings> ceilings() override {
        return make_cuda_ceilings(make_gemm_library_());
    }

  private:
    std::unique_ptr<GemmLibrary> (*make_gemm_library_)();
    MakeAllReduce make_all_reduce_;
    cudaDeviceProp properties_;
};

}  // namespace

std::unique_ptr<Device> make_cuda_device(std::unique_ptr<GemmLibrary> (*make_gemm_library)(),
                                         MakeAllReduce make_all_reduce) {
    return std::make_unique<CudaDevice>(make_gemm_library, make_all_reduce);
}

}  // namespace headroom::cuda
