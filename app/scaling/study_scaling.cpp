#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/scaling/scaling_folder.h"
#include "app/scaling/scaling_work.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_folder.h"
#include "core/study/study_folder.h"
#include "panels/study/study_reader.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// A finished run of `rows` steps.
void write_run(const fs::path& run_dir, int64_t rows) {
    const RunFolder folder = create_run_folder(run_dir);
    const std::string job = dump_text(to_json(Job{}), 2);
    write_job(folder, job);
    auto log = RunLogWriter::create(folder.log(),
                                    {job, "headroom", "here", "none", "2026-01-01T00:00:00Z"});
    for (int64_t step = 1; step <= rows; ++step) {
        const auto at = static_cast<double>(step);
        log.append_train({step, 1024 * step, static_cast<float>(3 + 1 / at), 1e-3F, 1.0F, 0.1 * at,
                          static_cast<uint64_t>(step)});
    }
    log.set_state(RunState::kFinished);
    log.close();
}

/// Opening a study of `runs(size)` runs of `rows(size)` steps each, all rows read.
template <class Runs, class Rows>
ScalingWork study_work(const std::string& size_name, std::string setting, std::vector<double> sizes,
                       Runs runs, Rows rows) {
    return {"study",
            "opening a study",
            size_name,
            "steps read",
            std::move(setting),
            std::move(sizes),
            [=](double size) { return runs(size) * rows(size); },
            [=](double size) -> std::function<double()> {
                const auto folder = std::make_shared<ScalingFolder>();
                for (int64_t run = 0; run < static_cast<int64_t>(runs(size)); ++run)
                    write_run(StudyFolder{folder->path()}.run(fmt::format("run-{}", run)).root,
                              static_cast<int64_t>(rows(size)));
                const auto count = static_cast<size_t>(runs(size));
                return [folder, count] {
                    const double start = now_s();
                    const StudyPointer study = StudyReader(folder->path()).look_at_all();
                    const double seconds = now_s() - start;
                    CHECK(study->runs.size() == count, "all runs of the study");
                    return seconds;
                };
            }};
}

}  // namespace

std::vector<ScalingWork> study_scaling() {
    constexpr double kRows = 1000, kRuns = 4;
    return {study_work(
                "runs", fmt::format("{} steps a run", kRows), {8, 16, 32, 64, 128, 256},
                [](double size) { return size; }, [=](double) { return kRows; }),
            study_work(
                "steps", fmt::format("{} runs", kRuns), {1000, 4000, 16000, 64000},
                [=](double) { return kRuns; }, [](double size) { return size; })};
}

}  // namespace headroom
