// Angles far from the beginning.
#include "core/ops/rotary.h"

#include <gtest/gtest.h>

#include "core/op_cases/op_case_list.h"
#include "tests/cuda/guarded_call.h"

namespace headroom {
namespace {

TEST(CudaRotary, KeepsFloat32AtPositionAHundredThousand) {
    for (const bool interleaved : {false, true}) {
        OpCaseList cases{DType::kF32, true, {}};
        const OpCase rotary =
            cases.add("rotary", Rotary({.d_head = 64, .width = 64, .interleaved = interleaved}),
                      {cases.normal("x", {2, 9, 64})});
        CaseRun run(rotary);
        run.step.position = 99991;
        for (size_t n = 0; n < run.node_count(); ++n) check_kernel(run, rotary, n, false);
    }
}

}  // namespace
}  // namespace headroom
