// What fused nodes compute against the nodes one by one, with the library's own proposals and with
// algorithms that were measured.
#include <optional>

#include <gtest/gtest.h>

#include "tests/cuda/graph_trainer.h"
#include "tests/cuda/tested_device.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

class NodesTogether : public testing::TestWithParam<const char*> {
  protected:
    void expect_same_as_apart() {
        std::string why_not;
        const auto device = tested_cuda_device(why_not);
        if (!device) GTEST_SKIP() << why_not;
        for (const auto& [precision, tolerance] :
             {std::pair{DType::kF64, 1e-12}, {DType::kF32, 1e-5}, {DType::kBF16, 2e-2}}) {
            SCOPED_TRACE(name_of(precision));
            const Job job = job_with_everything(GetParam(), precision);
            GraphTrainer together(job, *device), apart(job, *device);
            together.run();
            apart.run_apart();
            expect_near(together, apart, tolerance, precision != DType::kBF16);
        }
    }
};

TEST_P(NodesTogether, ComputeWhatTheyComputeOneByOne) {
    const Environment off("HEADROOM_CUDA_TUNING", "off");
    expect_same_as_apart();
}

TEST_P(NodesTogether, ComputeItByMeasuredAlgorithms) {
    const TemporaryFolder folder;
    const Environment cache("XDG_CACHE_HOME", folder.path().string());
    const Environment on("HEADROOM_CUDA_TUNING", std::nullopt);
    expect_same_as_apart();
}

INSTANTIATE_TEST_SUITE_P(Of, NodesTogether,
                         testing::Values("gpt2", "wq_identity", "skipv1", "parallel"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace headroom
