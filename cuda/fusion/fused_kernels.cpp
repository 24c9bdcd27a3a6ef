#include "cuda/fusion/fused_kernels.h"

#include <algorithm>

namespace headroom::cuda {
namespace {

void run_apart(const Call& call, const std::vector<FusedPart>& parts) {
    size_t input = 0, output = 0;
    for (const FusedPart& part : parts) {
        Call own = call;
        own.inputs = call.inputs.subspan(input, part.inputs);
        own.outputs = call.outputs.subspan(output, part.outputs);
        own.accumulate = call.accumulate.subspan(output, part.outputs);
        part.kernel.launch(own);
        input += part.inputs;
        output += part.outputs;
    }
}

}  // namespace

Kernel together_or_apart(Together together, std::vector<FusedPart> parts) {
    int64_t bytes = together.workspace_bytes;
    for (const FusedPart& part : parts) bytes = std::max(bytes, part.kernel.workspace_bytes);
    return {[launch = std::move(together.launch), parts = std::move(parts),
             apart = false](const Call& call) mutable {
                if (!apart && launch(call)) return;
                apart = true;  // what is not there will not come
                run_apart(call, parts);
            },
            bytes};
}

}  // namespace headroom::cuda
