#pragma once

#include <memory>

#include "core/device/device.h"

namespace headroom {

/// The CPU; a test overrides what it wants otherwise.
class ForwardingDevice : public Device {
  public:
    std::string_view kind() const override { return cpu_->kind(); }
    std::string description() const override { return cpu_->description(); }
    void check_precision(DType dtype) const override { cpu_->check_precision(dtype); }
    int threads() const override { return cpu_->threads(); }
    MemoryLayout weight_layout(DType precision) const override {
        return cpu_->weight_layout(precision);
    }
    bool tells_norms() const override { return cpu_->tells_norms(); }
    std::unique_ptr<Executor> prepare(const Graph& graph) override { return cpu_->prepare(graph); }
    std::unique_ptr<DeviceCeilings> ceilings() override { return cpu_->ceilings(); }

  private:
    std::unique_ptr<Device> cpu_ = make_cpu_device();
};

}  // namespace headroom
