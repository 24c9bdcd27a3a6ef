#include "core/ops/attention.h"

namespace headroom {

int64_t Attention::workspace_bytes(std::span<const TensorType>, int) const {
    return 0;
}

void Attention::run(const KernelCall& call) const {
    run_reference(call);
}

int64_t AttentionBackward::workspace_bytes(std::span<const TensorType>, int) const {
    return 0;
}

void AttentionBackward::run(const KernelCall& call) const {
    run_reference(call);
}

}  // namespace headroom
