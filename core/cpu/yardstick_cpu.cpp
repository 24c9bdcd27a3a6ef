#include "core/cpu/yardstick_cpu.h"

#include <optional>

#include "core/cpu/gemm_rate.h"
#include "core/cpu/memory_rate.h"

namespace headroom {
namespace {

class CpuYardstick : public Yardstick {
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

std::unique_ptr<Yardstick> make_cpu_yardstick() {
    return std::make_unique<CpuYardstick>();
}

}  // namespace headroom
