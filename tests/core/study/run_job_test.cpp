#include "core/study/run_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/log/run_log_writer.h"
#include "core/study/run_status.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::SizeIs;

class RunJobTest : public testing::Test {
  protected:
    RunJobTest() : run_(create_run_folder(study_ / "runs/a")) {
        job_.name = "twelve steps";
        job_.train.steps = 12;
        job_.train.warmup_steps = 0;
    }

    void write_log() const {
        RunLogWriter::create(
            run_.log(), {to_json(job_).dump(), "headroom", "here", "cpu", "2026-01-01T00:00:00Z"})
            .close();
    }

    const TemporaryFolder study_;
    const RunFolder run_;
    Job job_;
};

TEST_F(RunJobTest, IsThatOfTheLogWhereNoOtherIsLeft) {
    write_log();
    EXPECT_EQ(load_run_job(run_).train.steps, 12);
    EXPECT_THAT(list_runs(study_.path()), SizeIs(1))
        << "nobody loses a run of which the log is there";
    const RunStatus status = run_status(run_.root);
    EXPECT_EQ(status.name, "twelve steps");
    EXPECT_EQ(status.steps, 12);
    EXPECT_EQ(status.problem, "");
}

TEST_F(RunJobTest, IsTheFileWhereThereIsOne) {
    write_log();
    job_.train.steps = 20;
    write_job(run_, to_json(job_).dump());
    EXPECT_EQ(load_run_job(run_).train.steps, 20);
    EXPECT_EQ(run_status(run_.root).steps, 20);
}

TEST_F(RunJobTest, NamesWhatItWasReadFrom) {
    job_.train.steps = -1;
    write_log();
    EXPECT_THAT([&] { load_run_job(run_); },
                testing::ThrowsMessage<UserError>(testing::HasSubstr("log.h5")));
    std::filesystem::remove(run_.log());
    EXPECT_THAT([&] { load_run_job(run_); },
                testing::ThrowsMessage<UserError>(testing::HasSubstr("job.json")));
    EXPECT_THAT(list_runs(study_.path()), SizeIs(0));
}

}  // namespace
}  // namespace headroom
