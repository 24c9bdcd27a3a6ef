#include "core/study/run_folder.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/probe/probe_list.h"
#include "core/study/run_control.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

TEST(RunFolder, KnowsItsStudy) {
    const TemporaryFolder folder;
    EXPECT_EQ(study_of(folder / "runs/a"), "");
    write_plainly(folder / "study.json", "{}");
    EXPECT_EQ(study_of(folder / "runs/a"), folder.path());
    EXPECT_EQ(study_of(folder / "runs/a/"), folder.path());
    EXPECT_EQ(study_of(folder / "other/a"), "");
}

TEST(RunFolder, OfAStudyIsNotMadeWhereALinkLeadsOut) {
    const TemporaryFolder folder;
    const fs::path study = folder / "study", victim = folder / "victim";
    fs::create_directories(study / "runs");
    fs::create_directories(victim);
    write_plainly(study / "study.json", "{}");
    fs::create_directory_symlink(victim, study / "runs/a");
    EXPECT_THROW(create_run_folder(study / "runs/a"), UserError);
    EXPECT_THROW(make_probes_folder(study / "runs/a"), UserError);
    EXPECT_THROW(write_request(study / "runs/a", ControlRequest::kStop), UserError);
    EXPECT_TRUE(fs::is_empty(victim));
    fs::remove(study / "runs/a");
    fs::remove(study / "runs");
    fs::create_directory_symlink(victim, study / "runs");
    EXPECT_THROW(create_run_folder(study / "runs/a"), UserError);
    EXPECT_TRUE(fs::is_empty(victim));
}

TEST(RunFolder, OfANobodysStudyMayLieBehindALink) {
    const TemporaryFolder folder;
    fs::create_directories(folder / "disk");
    fs::create_directory_symlink(folder / "disk", folder / "runs");
    create_run_folder(folder / "runs/a");
    EXPECT_TRUE(fs::is_directory(folder / "disk/a/checkpoints"));
}

TEST(RunFolder, ChecksItsOwnFoldersToo) {
    const TemporaryFolder folder;
    fs::create_directories(folder / "run");
    fs::create_directories(folder / "victim");
    for (const char* name : {"checkpoints", "probes"})
        fs::create_directory_symlink("../victim", (folder / "run") / name);
    EXPECT_THROW(create_run_folder(folder / "run"), UserError);
    EXPECT_THROW(make_probes_folder(folder / "run"), UserError);
    fs::create_symlink("../victim/file", folder / "run/worker.lock");
    EXPECT_THROW(RunLock::acquire(folder / "run"), EnvironmentError);
    EXPECT_TRUE(fs::is_empty(folder / "victim"));
}

TEST(RunFolder, WhatItIsMadeOfIsNoPlaceForAReport) {
    const TemporaryFolder study;
    const RunFolder run = create_run_folder(study / "runs/a");
    write_job(run, "{}");
    fs::create_directories(run.probes());
    for (const fs::path& file : {run.log(), run.checkpoints() / "step-00000001.safetensors",
                                 run.probes() / "heads.h5", study / "study.json"}) {
        EXPECT_NO_THROW(check_not_of_study(file)) << file << " is not there";
        write_plainly(file, "x");
        EXPECT_THROW(check_not_of_study(file), UserError) << file;
    }
    EXPECT_THROW(check_not_of_study(run.root / "." / "job.json"), UserError);
    write_plainly(study / "report.json", "x");
    EXPECT_NO_THROW(check_not_of_study(study / "report.json"));
    EXPECT_NO_THROW(check_not_of_study(""));
}

}  // namespace
}  // namespace headroom
