#include "core/device/process_group.h"

namespace headroom {
namespace {

class SoloGroup : public ProcessGroup {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void sum(std::span<float>) override {}
    void sum(std::span<double>) override {}
    void broadcast(std::span<std::byte>) override {}
    void abort(int) noexcept override {}
};

}  // namespace

ProcessGroup& solo_group() {
    static SoloGroup group;
    return group;
}

}  // namespace headroom
