#include "core/study/run_job.h"

#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/log/series_reader.h"

namespace headroom {

std::filesystem::path run_job_source(const RunFolder& run) {
    std::error_code ignored;
    const bool is_left =
        std::filesystem::exists(run.job(), ignored) || !std::filesystem::exists(run.log(), ignored);
    return is_left ? run.job() : run.log();
}

std::string run_job_text(const RunFolder& run) {
    return run_job_source(run) == run.job() ? read_text(run.job())
                                            : open_series(run.log())->tail().attributes.job_json;
}

Job load_run_job(const RunFolder& run) {
    const std::string source = run_job_source(run).string();
    return parse_job(parse_json(run_job_text(run), source), source);
}

}  // namespace headroom
