#include "core/study/run_job.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/log/series_reader.h"
#include "core/study/job_paths.h"

namespace headroom {

bool is_imported(const RunFolder& run) {
    std::error_code ignored;
    if (!std::filesystem::exists(run.job(), ignored)) return false;
    try {
        return load_json(run.job()).contains(kImportedFrom);
    } catch (const UserError&) {
        return false;
    }
}

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
    return parse_run_job(run, parse_json(run_job_text(run), source), source);
}

void check_not_imported(const nlohmann::json& document, const std::string& name) {
    if (document.is_object() && document.contains(kImportedFrom))
        throw UserError(name + " was imported: it has curves, but nothing is known of its model",
                        "choose a run that was trained here");
}

Job parse_run_job(const RunFolder& run, const nlohmann::json& document, const std::string& source) {
    check_not_imported(document, run.root.filename().string());
    Job job = parse_job(document, source);
    make_paths_absolute(job, run.root);
    return job;
}

Job job_as_stored(const RunFolder& run, Job job) {
    if (const std::filesystem::path study = study_of(run.root); !study.empty())
        make_paths_movable(job, study, run.root);
    return job;
}

bool is_same_job(Job a, const Job& b) {
    if (a.model.vocab_size == 0 || b.model.vocab_size == 0) a.model.vocab_size = b.model.vocab_size;
    return a == b;
}

void write_job(const RunFolder& run, const Job& job) {
    write_job(run, to_json(job_as_stored(run, job)).dump(2) + "\n");
}

}  // namespace headroom
