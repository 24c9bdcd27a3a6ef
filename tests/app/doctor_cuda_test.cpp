#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/doctor/cuda_findings.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using Status = Finding::Status;

std::string text(const std::vector<Finding>& findings) {
    std::string all;
    for (const Finding& finding : findings)
        all += finding.name + " | " + name_of(finding.status) + " | " + finding.value + "\n";
    return all;
}

CudaState with_gpus() {
    CudaState state;
    state.built = state.driver = state.averages = true;
    state.driver_release = "550.54.15";
    state.nccl = "2.21.5";
    state.report = CudaReport{"12.4", "80, 90", "12.4", "", {}, 1};
    state.report->gpus = {{"NVIDIA A100", int64_t{40} << 30, 8, 0},
                          {"NVIDIA H100", int64_t{80} << 30, 9, 0}};
    return state;
}

TEST(DoctorCuda, ListsDevicesAndTheOneThatIsTaken) {
    EXPECT_EQ(text(cuda_findings(with_gpus())),
              "cuda | ok | built with toolkit 12.4 for 80, 90\n"
              "cuda driver | ok | 550.54.15, serves CUDA 12.4\n"
              "cuda device 0 | ok | NVIDIA A100, 40.0 GiB, compute capability 8.0\n"
              "cuda device 1 | ok | NVIDIA H100, 80.0 GiB, compute capability 9.0, taken by "
              "--device cuda\n"
              "nccl | ok | 2.21.5\n");
}

TEST(DoctorCuda, SaysThatTheModuleIsPtxAlone) {
    CudaState state = with_gpus();
    state.report->architectures = "80-virtual";
    const Finding ptx = cuda_findings(state).front();
    EXPECT_EQ(ptx.value,
              "built with toolkit 12.4 for 80-virtual: PTX alone, which a driver that serves CUDA "
              "12.4 or newer compiles at the first start");
    EXPECT_THAT(ptx.hint, HasSubstr("-DHEADROOM_CUDA_ARCHITECTURES=80-real"));
    state.report->gpus.clear();
    EXPECT_THAT(cuda_findings(state).front().hint, HasSubstr("=90-real"));
    state.report->architectures = "80-virtual, 90-real";
    EXPECT_EQ(cuda_findings(state).front().hint, "");
}

TEST(DoctorCuda, SaysThatTheModuleIsNotOptimised) {
    CudaState state = with_gpus();
    state.report->architectures = "80-virtual";
    state.report->optimised = false;
    const Finding quick = cuda_findings(state).front();
    EXPECT_EQ(quick.value,
              "built with toolkit 12.4 without its optimiser, where there was no GPU: slow on any");
    EXPECT_THAT(quick.hint, HasSubstr("./run"));
    EXPECT_THAT(quick.hint, HasSubstr("-DHEADROOM_CUDA_ARCHITECTURES=80-real"));
}

TEST(DoctorCuda, SaysThatThereIsNoDriver) {
    CudaState state;
    state.built = true;
    state.report = CudaReport{"13.0", "80", "", "CUDA driver version is insufficient", {}, 0};
    EXPECT_EQ(text(cuda_findings(state)),
              "cuda | ok | built with toolkit 13.0 for 80\n"
              "cuda driver | absent | none (libcuda.so.1 is absent): no GPU can be used\n"
              "nccl | absent | not in this build (only several GPUs need it)\n");
}

TEST(DoctorCuda, SaysWhyADriverShowsNoDevice) {
    CudaState state = with_gpus();
    state.report->gpus.clear();
    state.report->problem = "no CUDA-capable device is detected";
    EXPECT_THAT(text(cuda_findings(state)),
                HasSubstr("cuda device | absent | none: no CUDA-capable device is detected\n"));
}

TEST(DoctorCuda, SaysThatTheBuildHasNone) {
    EXPECT_THAT(text(cuda_findings({})), HasSubstr("cuda | absent | not in this build\n"));
}

TEST(DoctorCuda, SaysWhyTheModuleCannotBeLoaded) {
    CudaState state = with_gpus();
    state.report.reset();
    state.load_problem = "libcublasLt.so.12: cannot open shared object file";
    const std::vector<Finding> findings = cuda_findings(state);
    EXPECT_EQ(findings.front().status, Status::kMissing);
    EXPECT_THAT(findings.front().value, HasSubstr("libcublasLt.so.12"));
}

TEST(DoctorCuda, LooksAtThisMachineWhateverItHas) {
    const std::vector<Finding> findings = cuda_findings(examine_cuda_state());
    ASSERT_GE(findings.size(), 2u);
    for (const Finding& finding : findings) {
        EXPECT_FALSE(finding.value.empty()) << finding.name;
        EXPECT_EQ(finding.value.find('\n'), std::string::npos) << finding.value;
    }
}

}  // namespace
}  // namespace headroom
