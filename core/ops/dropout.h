#pragma once

#include "core/base/philox.h"
#include "core/graph/op.h"

namespace headroom {

/// y = x m / (1 - p), m = 0 with probability p, else 1. The mask comes from a counter-based
/// generator keyed by (seed, stream, step, micro-batch, element), see core/base/philox.h: it is
/// never stored. Every dropout site of a model has a `stream` of its own.
/// x: any shape -> y: the same. Gradient: the same operator applied to dy.
class Dropout : public Op {
  public:
    /// 0 <= p < 1, stream < 2^32. Throws UserError otherwise.
    Dropout(double p, uint64_t stream);

    std::string_view name() const override { return "dropout"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    bool may_overwrite(int, int) const override { return true; }
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    double p() const { return p_; }
    uint32_t stream() const { return stream_; }

  private:
    double p_;
    uint32_t stream_;
};

/// The random numbers of one site at this moment.
constexpr DropoutStream dropout_stream(const StepContext& step, uint64_t stream) {
    return {step.seed, static_cast<uint32_t>(step.step), static_cast<uint32_t>(step.micro) & 0xffff,
            static_cast<uint32_t>(stream)};
}
/// Throws UserError naming `op` unless 0 <= p < 1 and stream < 2^32.
void check_dropout(std::string_view op, double p, uint64_t stream);

}  // namespace headroom
