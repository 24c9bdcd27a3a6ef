#include "core/study/run_folder.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/natural_order.h"
#include "core/base/open_file.h"
#include "core/study/study_folder.h"

namespace headroom {

namespace fs = std::filesystem;

fs::path folder_of_runs(const fs::path& run_dir) {
    fs::path run = fs::absolute(run_dir).lexically_normal();
    if (!run.has_filename()) run = run.parent_path();
    const fs::path runs = run.parent_path();
    const StudyFolder study{runs.parent_path()};
    return runs == study.runs() ? study.root : fs::path();
}

fs::path study_of(const fs::path& run_dir) {
    const StudyFolder study{folder_of_runs(run_dir)};
    std::error_code ignored;
    const bool is_study = !study.root.empty() && (fs::exists(study.plan(), ignored) ||
                                                  fs::exists(study.queue_lock(), ignored));
    return is_study ? study.root : fs::path();
}

void require_own_folder(const fs::path& run_dir) {
    if (const fs::path study = study_of(run_dir); !study.empty()) require_inside(study, run_dir);
}

RunFolder create_run_folder(const fs::path& run_dir) {
    RunFolder run{run_dir};
    require_own_folder(run.root);
    make_folder(run.root);
    make_folder_inside(run.root, run.checkpoints());
    return run;
}

void write_job(const RunFolder& run, std::string_view job_json) {
    write_file_atomically(run.job(), job_json);
}

bool is_run(const RunFolder& run) {
    std::error_code ignored;
    return fs::is_regular_file(run.job(), ignored) || fs::is_regular_file(run.log(), ignored);
}

void check_not_of_study(const fs::path& out) {
    std::error_code ignored;
    if (!fs::exists(out, ignored)) return;
    const fs::path file = fs::weakly_canonical(out, ignored), folder = file.parent_path();
    const RunFolder run{folder}, around{folder.parent_path()};
    const StudyFolder study{folder};
    if ((is_run(run) && (file == run.job() || file == run.log())) ||
        (is_run(around) && (folder == around.checkpoints() || folder == around.probes())) ||
        (looks_like_study(folder) && (file == study.plan() || file == study.labels())))
        throw UserError(fmt::format("{} belongs to a {}", out.string(),
                                    looks_like_study(folder) ? "study" : "run"),
                        "name another file");
}

std::vector<RunFolder> list_runs(const fs::path& study_dir) {
    std::vector<RunFolder> runs;
    for (const fs::path& entry : entries_of(StudyFolder{study_dir}.runs()))
        if (is_run({entry})) runs.push_back({entry});
    std::sort(runs.begin(), runs.end(), [](const RunFolder& a, const RunFolder& b) {
        return natural_less(a.root.native(), b.root.native());
    });
    return runs;
}

}  // namespace headroom
