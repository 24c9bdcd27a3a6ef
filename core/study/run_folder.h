#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace headroom {

/// The paths of one run: a contract with other programs. Nothing is created by naming them.
struct RunFolder {
    std::filesystem::path root;

    std::filesystem::path job() const { return root / "job.json"; }
    std::filesystem::path log() const { return root / "log.h5"; }
    std::filesystem::path checkpoints() const { return root / "checkpoints"; }
    std::filesystem::path probes() const { return root / "probes"; }
    std::filesystem::path worker_log() const { return root / "worker.log"; }
    std::filesystem::path worker() const { return root / "worker.json"; }
    std::filesystem::path control() const { return root / "control.json"; }
    std::filesystem::path lock() const { return root / "worker.lock"; }
};

/// STUDY_DIR of STUDY_DIR/runs/RUN_ID; "" of any other folder.
std::filesystem::path folder_of_runs(const std::filesystem::path& run_dir);

/// The same where that holds a study.json or somebody trains its queue;
/// else "".
std::filesystem::path study_of(const std::filesystem::path& run_dir);

/// UserError if the run's folder belongs to a study and a link leads it out of there: nothing may
/// be written to it. Reading follows links.
void require_own_folder(const std::filesystem::path& run_dir);

/// Makes RUN_DIR and RUN_DIR/checkpoints where missing; EnvironmentError naming the folder.
/// UserError if a link leads one of them elsewhere.
RunFolder create_run_folder(const std::filesystem::path& run_dir);

/// Writes job.json atomically. REQUIRES: `job_json` is the resolved job.
void write_job(const RunFolder& run, std::string_view job_json);

/// Whether the folder holds a job.json or, where somebody took that away, a log.h5 (run_job.h).
bool is_run(const RunFolder& run);

/// What a command writes must not take the place of a file that a run or a study is made of: its
/// job, log, checkpoints and probes, its plan and labels. UserError where `out` is there and is
/// one.
void check_not_of_study(const std::filesystem::path& out);

/// The runs of a study: every folder in STUDY_DIR/runs that is one, by name in natural order.
std::vector<RunFolder> list_runs(const std::filesystem::path& study_dir);

}  // namespace headroom
