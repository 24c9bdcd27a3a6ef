#include "core/study/job_paths.h"

#include <string>
#include <system_error>

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

}  // namespace

void make_paths_absolute(Job& job, const std::filesystem::path& folder) {
    for (std::string* spec : {&job.data.train, &job.data.val, &job.data.tokenizer})
        *spec = absolute_spec(*spec, folder);
    if (job.train.starts_from_file())
        job.train.init_from = absolute_path(job.train.init_from, folder);
}

}  // namespace headroom
