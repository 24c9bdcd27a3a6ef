#include "core/graph/op.h"

#include <fmt/format.h>

namespace headroom {

void Op::backward(Backward&) const {
    CHECK(false, fmt::format("operator {} has no gradient rule", name()));
}

std::shared_ptr<const Op> Op::telling_norm(int) const {
    return nullptr;
}

int64_t Op::workspace_bytes(std::span<const TensorType>, int) const {
    return 0;
}

bool Op::takes_panels(int) const {
    return false;
}

bool Op::makes_panels(int) const {
    return false;
}

bool Op::may_overwrite(int, int) const {
    return false;
}

void Op::run_reference(const KernelCall& call) const {
    run(call);
}

OpCost Op::cost(std::span<const TensorType> inputs) const {
    OpCost cost;
    for (const TensorType& type : inputs) cost.bytes += static_cast<double>(type.bytes());
    for (const TensorType& type : infer(inputs)) cost.bytes += static_cast<double>(type.bytes());
    return cost;
}

void require_type(bool condition, const Op& op, std::string_view expected,
                  const TensorType& actual) {
    if (condition) return;
    throw UserError(fmt::format("{}: expected {}, got {}", op.name(), expected, to_string(actual)));
}

void require_inputs(const Op& op, std::span<const TensorType> inputs, size_t count) {
    if (inputs.size() == count) return;
    throw UserError(fmt::format("{}: expected {} inputs, got {}", op.name(), count, inputs.size()));
}

}  // namespace headroom
