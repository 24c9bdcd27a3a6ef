#include "core/study/run_folder.h"

#include <algorithm>
#include <system_error>

#include "core/base/file.h"

namespace headroom {

namespace fs = std::filesystem;

RunFolder create_run_folder(const fs::path& run_dir) {
    RunFolder run{run_dir};
    make_folder(run.root);
    make_folder(run.checkpoints());
    return run;
}

void write_job(const RunFolder& run, std::string_view job_json) {
    write_file_atomically(run.job(), job_json);
}

std::vector<RunFolder> list_runs(const fs::path& study_dir) {
    std::vector<RunFolder> runs;
    std::error_code error;
    fs::directory_iterator entry(study_dir / "runs", error), end;
    while (!error && entry != end) {
        RunFolder run{entry->path()};
        std::error_code ignored;
        if (fs::is_regular_file(run.job(), ignored)) runs.push_back(std::move(run));
        entry.increment(error);
    }
    std::sort(runs.begin(), runs.end(),
              [](const RunFolder& a, const RunFolder& b) { return a.root < b.root; });
    return runs;
}

}  // namespace headroom
