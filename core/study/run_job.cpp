#include "core/study/run_job.h"

#include <filesystem>

#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/log/series_reader.h"

namespace headroom {
namespace {

bool takes_log(const RunFolder& run) {
    std::error_code ignored;
    return !std::filesystem::exists(run.job(), ignored) &&
           std::filesystem::exists(run.log(), ignored);
}

}  // namespace

std::string run_job_text(const RunFolder& run) {
    return takes_log(run) ? open_series(run.log())->tail().attributes.job_json
                          : read_text(run.job());
}

Job load_run_job(const RunFolder& run) {
    const std::string source = (takes_log(run) ? run.log() : run.job()).string();
    return parse_job(parse_json(run_job_text(run), source), source);
}

}  // namespace headroom
