#include "core/cpu/cpu_ceilings.h"

#include <map>
#include <optional>

#include "core/cpu/gemm_rate.h"
#include "core/cpu/memory_rate.h"

namespace headroom {
namespace {

class CpuCeilings : public DeviceCeilings {
  public:
    std::vector<GemmRate> gemm_rates(DType dtype) override { return meter(dtype).rates(); }
    double product_rate_now(DType dtype) override {
        const bool measured = dtype == DType::kF32 || dtype == DType::kBF16;
        return measured ? meter(dtype).rate_now() : 0;
    }
    double memory_rate() override {
        if (!memory_) memory_.emplace();
        return memory_->read_once();
    }

  private:
    GemmMeter& meter(DType dtype) { return meters_.try_emplace(dtype, dtype).first->second; }

    std::map<DType, GemmMeter> meters_;
    std::optional<MemoryReader> memory_;  ///< half a gigabyte: only where it is asked for
};

}  // namespace

std::unique_ptr<DeviceCeilings> make_cpu_ceilings() {
    return std::make_unique<CpuCeilings>();
}

}  // namespace headroom
