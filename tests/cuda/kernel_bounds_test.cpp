// Every kernel alone, on memory of its own: what it writes, and that it writes nothing else.
#include <gtest/gtest.h>

#include "cuda/primitives/launch.h"
#include "tests/cuda/awkward_cases.h"
#include "tests/cuda/guarded_call.h"

namespace headroom {
namespace {

class CudaKernels : public testing::TestWithParam<DType> {};

TEST_P(CudaKernels, WriteTheirOutputsAndNothingElse) {
    for (const std::vector<OpCase>& cases :
         {op_cases(GetParam(), CaseSize::kSmall), awkward_cases(GetParam())})
        for (const OpCase& op_case : cases) {
            SCOPED_TRACE(op_case.name);
            CaseRun run(op_case);
            for (size_t n = 0; n < run.node_count(); ++n) check_kernel(run, op_case, n, false);
        }
}

TEST_P(CudaKernels, AddToTheirOutputs) {
    for (const std::vector<OpCase>& cases :
         {op_cases(GetParam(), CaseSize::kSmall), awkward_cases(GetParam())})
        for (const OpCase& op_case : cases) {
            SCOPED_TRACE(op_case.name);
            CaseRun run(op_case);
            run.run_all(GetParam() == DType::kBF16 ? Kernels::kFast : Kernels::kReference);
            // What a forward pass saves beside its output is never added to.
            for (size_t n = 0; n < run.node_count(); ++n)
                if (run.node(n).phase == Phase::kBackward || run.node(n).outputs.size() == 1)
                    check_kernel(run, op_case, n, true);
        }
}

TEST_P(CudaKernels, DoTheSameWithAllThreadsOfABlock) {
    const cuda::simt::With all({.many_threads = true, .seed = size_of(GetParam())});
    for (const OpCase& op_case : awkward_cases(GetParam())) {
        SCOPED_TRACE(op_case.name);
        CaseRun run(op_case);
        for (size_t n = 0; n < run.node_count(); ++n) check_kernel(run, op_case, n, false);
    }
}

TEST_P(CudaKernels, GiveTheSameBitsInAnyOrderOfThreads) {
    const auto bits = [](CaseRun& run, size_t n, uint64_t seed) {
        const cuda::simt::With all({.many_threads = true, .seed = seed});
        return kernel_bits(run, n);
    };
    int tried = 0;
    for (const OpCase& op_case : awkward_cases(GetParam())) {
        const std::string& name = op_case.name;
        // Those that add up rows.
        if (!name.starts_with("embedding, 3 of") && !name.starts_with("column mix of packs") &&
            name != "layernorm of 744" && name != "dyt of 72" && name != "add bias to 62" &&
            name != "classifier loss, 640 tied tokens")
            continue;
        SCOPED_TRACE(name);
        CaseRun run(op_case);
        run.run_all(GetParam() == DType::kBF16 ? Kernels::kFast : Kernels::kReference);
        for (size_t n = 0; n < run.node_count(); ++n) EXPECT_EQ(bits(run, n, 1), bits(run, n, 2));
        ++tried;
    }
    EXPECT_EQ(tried, 7);
}

INSTANTIATE_TEST_SUITE_P(Types, CudaKernels,
                         testing::Values(DType::kF64, DType::kF32, DType::kBF16),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

}  // namespace
}  // namespace headroom
