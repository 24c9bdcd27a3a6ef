#include "app/doctor/probes.h"

#include <algorithm>

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "app/display.h"
#include "app/doctor/cuda_findings.h"
#include "app/doctor/kernel_findings.h"
#include "app/doctor/shared_library.h"
#include "app/studio_process.h"
#include "app/tool.h"
#include "core/base/cpu_features.h"
#include "core/base/error.h"
#include "core/base/system_info.h"
#include "core/cpu/onednn_version.h"
#include "core/log/hdf5_version.h"
#include "datasets/text/parquet_stream.h"

namespace headroom {
namespace {

using Status = Finding::Status;

Finding instruction_sets() {
    Finding finding{"instructions", Status::kOk, "", ""};
    std::string unused;
    for (const CpuFeature& feature : cpu_features()) {
        if (feature.used) finding.value += feature.name + " ";
        if (feature.present && !feature.used) unused += " " + feature.name;
    }
    finding.value = finding.value.empty() ? "the compiler's default"
                                          : finding.value.substr(0, finding.value.size() - 1);
    if (!unused.empty())
        finding.hint = "this processor also has" + unused + "; build with -DHEADROOM_MARCH=native";
    return finding;
}

/// Measured beside oneDNN by `headroom bench`; nothing else needs it.
Finding blas_library(const char* name, const char* file, const char* version_function,
                     const char* package) {
    const SharedLibrary library(file);
    if (!library)
        return {name, Status::kOptional, "absent (only bench compares with it)",
                std::string("apt-get install ") + package};
    const auto version = library.function<const char*()>(version_function);
    return {name, Status::kOk, version ? version() : "present", ""};
}

Finding studio() {
    try {
        return {"studio", Status::kOk, studio_program().string(), ""};
    } catch (const std::exception&) {
        return {"studio", Status::kOptional, "not built (no window and no figures)",
                "configure with -DHEADROOM_STUDIO=ON and build again"};
    }
}

Finding parquet() {
    if (has_parquet_module()) return {"parquet", Status::kOk, "headroom-parquet.so", ""};
    return {"parquet", Status::kOptional, "not built (data in Parquet cannot be read)",
            "install Apache Arrow's C++ libraries and build again"};
}

/// What `headroom data fetch` loads and unpacks with.
Finding fetch_tools() {
    std::string absent;
    for (const char* name : {"curl", "tar", "unzip"}) try {
            find_tool(name, name);
        } catch (const EnvironmentError&) {
            absent += (absent.empty() ? "" : " ") + std::string(name);
        }
    if (absent.empty()) return {"fetch", Status::kOk, "curl, tar and unzip", ""};
    return {"fetch", Status::kOptional, "no " + absent + " (data fetch needs them)",
            "apt-get install " + absent};
}

Finding display() {
    const Display found = find_display();
    if (found.name.empty())
        return {"display", Status::kOptional, "none (DISPLAY is not set)",
                "figures and training work without one; xvfb-run gives a virtual one"};
    if (found.problem.empty()) return {"display", Status::kOk, found.name, ""};
    return {"display", Status::kMissing, found.name + " " + found.problem,
            "is DISPLAY right, and may this user connect?"};
}

Finding opengl() {
    const SharedLibrary gl("libGL.so.1"), egl("libEGL.so.1");
    if (gl || egl)
        return {"opengl", Status::kOk, fmt::format("{}{}", gl ? "GLX " : "", egl ? "EGL" : ""), ""};
    return {"opengl", Status::kOptional, "absent (the studio's canvases need it)",
            "apt-get install libgl1 libgl1-mesa-dri"};
}

}  // namespace

std::string name_of(Finding::Status status) {
    switch (status) {
        case Status::kOk:
            return "ok";
        case Status::kMissing:
            return "missing";
        case Status::kOptional:
            return "absent";
    }
    return "unknown";
}

int64_t usable_cores() {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
    return sysconf(_SC_NPROCESSORS_ONLN);
}

int64_t memory_bytes() {
    return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::vector<Finding> examine_machine() {
    const double gib = static_cast<double>(memory_bytes()) / (1 << 30);
    std::vector<Finding> findings{
        {"cpu", Status::kOk, processor_name(), ""},
        {"cores", Status::kOk, fmt::format("{}", usable_cores()), ""},
        {"memory", Status::kOk, fmt::format("{:.1f} GiB", gib), ""},
        instruction_sets(),
        {"onednn", Status::kOk, onednn_version(), ""},
        blas_library("openblas", "libopenblas.so.0", "openblas_get_config", "libopenblas0-pthread"),
        blas_library("blis", "libblis.so.4", "bli_info_get_version_str", "libblis4-pthread"),
        {"hdf5", Status::kOk, hdf5_version(), ""},
        parquet(),
        fetch_tools(),
        studio(),
        display(),
        opengl(),
    };
    const auto after_onednn = std::find_if(findings.begin(), findings.end(),
                                           [](const Finding& f) { return f.name == "openblas"; });
    const std::vector<Finding> kernels = kernel_findings(examine_kernel_state());
    findings.insert(after_onednn, kernels.begin(), kernels.end());
    for (Finding& finding : cuda_findings(examine_cuda_state()))
        findings.push_back(std::move(finding));
    return findings;
}

}  // namespace headroom
