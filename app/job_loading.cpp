#include "app/job_loading.h"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/studio_process.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"
#include "core/device/cuda_module.h"
#include "core/train/device_check.h"

namespace headroom {
namespace {

std::string absolute_path(const std::string& text, const std::filesystem::path& folder) {
    const std::filesystem::path path = text;
    if (path.empty() || path.is_absolute()) return text;
    const auto beside_job = std::filesystem::absolute(folder / path).lexically_normal();
    const auto here = std::filesystem::absolute(path).lexically_normal();
    std::error_code ignored;
    const bool use_here =
        !std::filesystem::exists(beside_job, ignored) && std::filesystem::exists(here, ignored);
    return (use_here ? here : beside_job).string();
}

/// text:, tokens: and hdf5: specs, gpt2: and json: tokenizers carry a path; the rest do not.
std::string absolute_spec(const std::string& spec, const std::filesystem::path& folder) {
    const size_t colon = spec.find(':');
    if (colon == std::string::npos) return spec;
    const std::string kind = spec.substr(0, colon);
    const bool carries_path =
        kind == "text" || kind == "tokens" || kind == "hdf5" || kind == "gpt2" || kind == "json";
    return carries_path ? kind + ":" + absolute_path(spec.substr(colon + 1), folder) : spec;
}

/// Cheap to ask, and quiet: nothing that the user did not build, install or show.
bool may_have_cuda_device() {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const std::string shown = visible == nullptr ? "all" : visible;
    return !shown.empty() && shown != "-1" && has_cuda_driver() &&
           std::filesystem::exists(cuda_module_in(program_folder()));
}

}  // namespace

void make_paths_absolute(Job& job, const std::filesystem::path& folder) {
    for (std::string* spec : {&job.data.train, &job.data.val, &job.data.tokenizer})
        *spec = absolute_spec(*spec, folder);
    if (job.train.starts_from_file())
        job.train.init_from = absolute_path(job.train.init_from, folder);
}

Job load_job_for_run(const std::filesystem::path& path, const std::vector<std::string>& sets) {
    nlohmann::json document = load_json(path);
    apply_sets(document, sets);
    Job job = parse_job(document, path.string());
    make_paths_absolute(job, path.parent_path());
    return job;
}

std::unique_ptr<Device> open_device(const std::string& name) {
    if (name == "cuda") return open_cuda_device(program_folder());
    if (name != "auto" || !may_have_cuda_device()) return make_cpu_device();
    try {
        std::unique_ptr<Device> device = open_cuda_device(program_folder());
        const std::string difference = difference_from_cpu(*device);
        if (!difference.empty())
            throw EnvironmentError(device->description() + " computes otherwise, " + difference,
                                   "report it; --device cuda takes it all the same");
        fmt::print(stderr, "device: {}\n", device->description());
        return device;
    } catch (const EnvironmentError& error) {
        fmt::print(stderr, "device: CPU, since {}\n", error.what());
        return make_cpu_device();
    }
}

}  // namespace headroom
