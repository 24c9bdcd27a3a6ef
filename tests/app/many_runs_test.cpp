// The real program on a study of more runs than it may have files open at first.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "core/base/file.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_folder.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

void write_finished_run(const std::filesystem::path& folder) {
    const RunFolder run = create_run_folder(folder);
    const std::string job = R"({"model": {"preset": "tiny"}, "train": {"steps": 1}})";
    write_job(run, job);
    RunLogWriter log = RunLogWriter::create(
        run.log(), {job, "headroom test", "host", "cpu", "2025-01-31T12:00:00Z"});
    log.append_train({.step = 1, .tokens = 10, .loss = 4.0f});
    log.set_state(RunState::kFinished);
    log.close();
}

TEST(ManyRuns, AreAllShownAsTheyAre) {
    constexpr rlim_t kFilesAtFirst = 64;
    constexpr size_t kRuns = 100;
    const TemporaryFolder folder;
    for (size_t i = 0; i < kRuns; ++i) write_finished_run(folder / fmt::format("study/runs/{}", i));
    const std::string said = folder / "said";
    const pid_t limited = start_child([&] {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = std::min(kFilesAtFirst, limit.rlim_max);
        ::setrlimit(RLIMIT_NOFILE, &limit);
        return wait_for_child(start_program(built_program("headroom"),
                                            {"study", "status", folder / "study", "--json"}, said));
    });
    ASSERT_EQ(wait_for_child(limited), 0) << read_text(said);
    const nlohmann::json runs = nlohmann::json::parse(read_text(said)).at("runs");
    EXPECT_EQ(runs.size(), kRuns);
    for (const nlohmann::json& run : runs) EXPECT_EQ(run.at("state"), "finished") << run;
}

}  // namespace
}  // namespace headroom
