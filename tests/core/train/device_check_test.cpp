#include "core/train/device_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/forwarding_device.h"

namespace headroom {
namespace {

using testing::StartsWith;

/// The CPU's executor with other losses.
class WrongExecutor : public Executor {
  public:
    explicit WrongExecutor(std::unique_ptr<Executor> right) : right_(std::move(right)) {}

    const Graph& graph() const override { return right_->graph(); }
    const Plan& plan() const override { return right_->plan(); }
    int64_t allocated_bytes() const override { return right_->allocated_bytes(); }
    void write(ValueId value, std::span<const std::byte> bytes) override {
        right_->write(value, bytes);
    }
    void read(ValueId value, std::span<std::byte> bytes) const override {
        right_->read(value, bytes);
    }
    void read_part(ValueId value, int64_t first, std::span<std::byte> bytes) const override {
        right_->read_part(value, first, bytes);
    }
    void watch(ValueId scalar) override { right_->watch(scalar); }
    double watched(ValueId scalar) const override { return 1.001 * right_->watched(scalar); }
    void run(Phase phase, const StepContext& step) override { right_->run(phase, step); }
    std::string find_nonfinite(Phase phase, const StepContext& step) override {
        return right_->find_nonfinite(phase, step);
    }
    void set_timing(bool on) override { right_->set_timing(on); }
    std::vector<OpTime> times() const override { return right_->times(); }

  private:
    std::unique_ptr<Executor> right_;
};

class WrongDevice : public ForwardingDevice {
  public:
    std::string_view kind() const override { return "wrong"; }
    std::unique_ptr<Executor> prepare(const Graph& graph) override {
        return std::make_unique<WrongExecutor>(ForwardingDevice::prepare(graph));
    }
};

TEST(DeviceCheck, FindsNothingWhereNothingDiffers) {
    EXPECT_EQ(difference_from_cpu(*make_cpu_device()), "");
}

TEST(DeviceCheck, NamesTheFirstNumberThatDiffers) {
    WrongDevice device;
    EXPECT_THAT(difference_from_cpu(device), StartsWith("step 1 in float32: loss "));
}

}  // namespace
}  // namespace headroom
