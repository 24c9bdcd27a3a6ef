#include "app/doctor/cuda_findings.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "app/doctor/shared_library.h"
#include "app/program_files.h"
#include "core/device/cuda_module.h"

namespace headroom {
namespace {

using Status = Finding::Status;

/// The first word of the kernel module's own description that looks like "550.54.15".
std::string driver_release() {
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line, word;
    std::getline(file, line);
    std::istringstream words(line);
    while (words >> word)
        if (std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
            word.find('.') != std::string::npos)
            return word;
    return "";
}

std::string nccl_version() {
    const SharedLibrary library("libnccl.so.2");
    const auto get_version = library.function<int(int*)>("ncclGetVersion");
    int version = 0;
    if (get_version == nullptr || get_version(&version) != 0) return "";
    return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

/// Whether the kernels are PTX alone, by a list such as "80-virtual, 90-virtual".
bool is_ptx_only(const std::string& built_for) {
    std::istringstream entries(built_for);
    std::string entry;
    bool only = !built_for.empty();
    while (std::getline(entries, entry, ',')) only = only && entry.ends_with("-virtual");
    return only;
}

/// What the first GPU is called in a build for it alone.
std::string build_option(const CudaReport& report) {
    const std::string number =
        report.gpus.empty() ? "90"
                            : fmt::format("{}{}", report.gpus[0].major, report.gpus[0].minor);
    return fmt::format("-DHEADROOM_CUDA_ARCHITECTURES={}-real", number);
}

Finding module_finding(const CudaState& state) {
    if (!state.built)
        return {"cuda", Status::kOptional, "not in this build",
                "install a CUDA toolkit, 12 or 13, and start ./run again"};
    if (!state.report)
        return {"cuda", Status::kMissing, state.load_problem, "install the CUDA libraries"};
    const std::string& built_for = state.report->architectures;
    if (!state.report->optimised)
        return {"cuda", Status::kOk,
                fmt::format("built with toolkit {} without its optimiser, where there was no GPU: "
                            "slow on any",
                            state.report->toolkit),
                "to use a GPU, start ./run again on its machine, or build with " +
                    build_option(*state.report)};
    if (is_ptx_only(built_for))
        return {"cuda", Status::kOk,
                fmt::format("built with toolkit {0} for {1}: PTX alone, which a driver that serves "
                            "CUDA {0} or newer compiles at the first start",
                            state.report->toolkit, built_for),
                "for kernels made for this GPU build again with " + build_option(*state.report)};
    return {"cuda", Status::kOk,
            fmt::format("built with toolkit {}{}", state.report->toolkit,
                        built_for.empty() ? "" : " for " + built_for),
            ""};
}

Finding driver_finding(const CudaState& state) {
    if (!state.driver)
        return {"cuda driver", Status::kOptional,
                "none (libcuda.so.1 is absent): no GPU can be used", "--device cpu needs none"};
    const std::string release = state.driver_release.empty() ? "present" : state.driver_release;
    if (!state.report || state.report->driver.empty())
        return {"cuda driver", Status::kOk, release, ""};
    return {"cuda driver", Status::kOk,
            fmt::format("{}, serves CUDA {}", release, state.report->driver), ""};
}

std::vector<Finding> device_findings(const CudaReport& report) {
    if (report.gpus.empty())
        return {{"cuda device", Status::kOptional, "none: " + report.problem,
                 "CUDA_VISIBLE_DEVICES hides or shows devices"}};
    std::vector<Finding> findings;
    for (size_t n = 0; n < report.gpus.size(); ++n) {
        const CudaGpu& gpu = report.gpus[n];
        findings.push_back(
            {fmt::format("cuda device {}", n), Status::kOk,
             fmt::format("{}, {:.1f} GiB, compute capability {}.{}{}", gpu.name,
                         static_cast<double>(gpu.memory_bytes) / (1 << 30), gpu.major, gpu.minor,
                         static_cast<int>(n) == report.chosen ? ", taken by --device cuda" : ""),
             ""});
    }
    return findings;
}

Finding nccl_finding(const CudaState& state) {
    if (!state.averages)
        return {"nccl", Status::kOptional, "not in this build (only several GPUs need it)",
                "install libnccl-dev and build again"};
    if (state.nccl.empty())
        return {"nccl", Status::kOptional, "absent (only several GPUs need it)",
                "install libnccl2"};
    return {"nccl", Status::kOk, state.nccl, ""};
}

}  // namespace

CudaState examine_cuda_state() {
    CudaState state;
    state.driver = has_cuda_driver();
    state.driver_release = driver_release();
    state.built = std::filesystem::exists(cuda_module_in(program_files().modules));
    state.averages = std::filesystem::exists(program_files().modules / "headroom-nccl.so");
    state.nccl = nccl_version();
    if (!state.built) return state;
    try {
        state.report = examine_cuda_module(program_files().modules);
    } catch (const std::exception& error) {
        state.load_problem = error.what();
    }
    return state;
}

std::vector<Finding> cuda_findings(const CudaState& state) {
    std::vector<Finding> findings{module_finding(state), driver_finding(state)};
    if (state.report && state.driver) {
        const std::vector<Finding> devices = device_findings(*state.report);
        findings.insert(findings.end(), devices.begin(), devices.end());
    }
    if (state.built) findings.push_back(nccl_finding(state));
    return findings;
}

}  // namespace headroom
