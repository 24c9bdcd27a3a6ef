#include "app/job_loading.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/eprint.h"
#include "app/program_files.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"
#include "core/device/cuda_module.h"
#include "core/study/job_paths.h"
#include "core/study/run_job.h"
#include "core/train/device_check.h"

namespace headroom {
namespace {

/// Cheap to ask, and quiet: nothing that the user did not build, install or show.
bool may_have_cuda_device() {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const std::string shown = visible == nullptr ? "all" : visible;
    return !shown.empty() && shown != "-1" && has_cuda_driver() &&
           std::filesystem::exists(cuda_module_in(program_files().modules));
}

/// A build from where there was no GPU computes the same, but no one should measure it.
std::unique_ptr<Device> open_cuda(const std::filesystem::path& folder) {
    std::unique_ptr<Device> device = open_cuda_device(folder);
    if (!examine_cuda_module(folder).optimised)
        eprint(
            "warning: this build's CUDA device was compiled where there was no GPU, without the "
            "optimiser, and is slow; start ./run again on this machine\n");
    return device;
}

}  // namespace

nlohmann::json load_job_document(const std::filesystem::path& path,
                                 const std::vector<std::string>& sets) {
    nlohmann::json document = load_json(path);
    check_not_imported(document, path.string() + ": this run");
    apply_sets(document, sets);
    return document;
}

Job load_job_for_run(const std::filesystem::path& path, const std::vector<std::string>& sets) {
    Job job = parse_job(load_job_document(path, sets), path.string());
    make_paths_absolute(job, path.parent_path());
    return job;
}

std::unique_ptr<Device> open_device(const std::string& name) {
    if (name == "cuda") return open_cuda(program_files().modules);
    if (name != "auto" || !may_have_cuda_device()) return make_cpu_device();
    try {
        std::unique_ptr<Device> device = open_cuda(program_files().modules);
        const std::string difference = difference_from_cpu(*device);
        if (!difference.empty())
            throw EnvironmentError(device->description() + " computes otherwise, " + difference,
                                   "report it; --device cuda takes it all the same");
        eprint("device: {}\n", device->description());
        return device;
    } catch (const EnvironmentError& error) {
        eprint("device: CPU, since {}\n", error.what());
        return make_cpu_device();
    }
}

}  // namespace headroom
