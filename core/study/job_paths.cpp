#include "core/study/job_paths.h"

#include <string>
#include <system_error>

#include "core/config/probe_schema.h"
#include "core/data/data_paths.h"

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

}  // namespace

void make_paths_absolute(Job& job, const std::filesystem::path& folder) {
    for (std::string* spec : {&job.data.train, &job.data.val, &job.data.tokenizer})
        *spec = change_paths(*spec,
                             [&](const std::string& path) { return absolute_path(path, folder); });
    if (job.train.starts_from_file())
        job.train.init_from = absolute_path(job.train.init_from, folder);
    for (ProbeConfig& probe : job.probes)
        for (const ProbeOption& option : find_probe_schema(probe.kind)->options)
            if (option.names_tasks && probe.values.has(option.name))
                probe.values.set(option.name,
                                 change_task_paths(probe.values.get<std::string>(option.name),
                                                   [&](const std::string& path) {
                                                       return absolute_path(path, folder);
                                                   }));
}

}  // namespace headroom
