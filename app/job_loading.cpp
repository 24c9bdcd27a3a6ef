#include "app/job_loading.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"

namespace headroom {
namespace {

/// text:, tokens: and hdf5: specs, gpt2: and json: tokenizers carry a path; the rest do not.
std::string absolute_spec(const std::string& spec, const std::filesystem::path& folder) {
    const size_t colon = spec.find(':');
    if (colon == std::string::npos) return spec;
    const std::string kind = spec.substr(0, colon);
    const bool carries_path =
        kind == "text" || kind == "tokens" || kind == "hdf5" || kind == "gpt2" || kind == "json";
    const std::filesystem::path path = spec.substr(colon + 1);
    if (!carries_path || path.empty() || path.is_absolute()) return spec;
    const auto beside_job = std::filesystem::absolute(folder / path).lexically_normal();
    const auto here = std::filesystem::absolute(path).lexically_normal();
    std::error_code ignored;
    const bool use_here =
        !std::filesystem::exists(beside_job, ignored) && std::filesystem::exists(here, ignored);
    return kind + ":" + (use_here ? here : beside_job).string();
}

}  // namespace

void make_paths_absolute(DataConfig& data, const std::filesystem::path& folder) {
    for (std::string* spec : {&data.train, &data.val, &data.tokenizer})
        *spec = absolute_spec(*spec, folder);
}

Job load_job_for_run(const std::filesystem::path& path, const std::vector<std::string>& sets) {
    nlohmann::json document = load_json(path);
    apply_sets(document, sets);
    Job job = parse_job(document, path.string());
    make_paths_absolute(job.data, path.parent_path());
    return job;
}

std::unique_ptr<Device> open_device(const std::string& name) {
    if (name == "cuda")
        throw UserError("this build has no CUDA device", "use --device cpu or --device auto");
    return make_cpu_device();
}

}  // namespace headroom
