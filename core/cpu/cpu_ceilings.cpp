#include "core/cpu/cpu_ceilings.h"

#include <optional>

#include "core/cpu/gemm_rate.h"
#include "core/cpu/memory_rate.h"

namespace headroom {
namespace {

class CpuCeilings : public DeviceCeilings {
  public:
    std::vector<GemmRate> gemm_rates(DType dtype) override { return measure_gemm_rates(dtype); }
    double memory_rate() override {
        if (!memory_) memory_.emplace();
        return memory_->read_once();
    }

  private:
    std::optional<MemoryReader> memory_;  ///< half a gigabyte: only where it is asked for
};

}  // namespace

std::unique_ptr<DeviceCeilings> make_cpu_ceilings() {
    return std::make_unique<CpuCeilings>();
}

}  // namespace headroom
