// The real program under mpirun: two processes give the losses of one.
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/log/run_log_reader.h"
#include "core/study/run_folder.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMpiJob = R"({
  "name": "shared", "seed": 3, "device": "cpu",
  "model": {"base": "gpt2", "arch": "skipv1", "n_layer": 2, "n_head": 2, "d_model": 32,
            "vocab_size": 256, "block_size": 32},
  "data": {"train": "task:grammar", "val": "split:0.1", "tokenizer": "byte"},
  "train": {"steps": 30, "batch_size": 4, "seq_len": 32, "lr": 1e-3, "min_lr": 1e-4,
            "warmup_steps": 5, "eval_every": 10, "eval_batches": 3, "checkpoint_every": 20}
})";

class MpiTrain : public testing::Test {
  protected:
    void SetUp() override {
        if (std::string(HEADROOM_MPIRUN).empty())
            GTEST_SKIP() << "built without MPI: install libopenmpi-dev and openmpi-bin";
        write_file_atomically(folder_ / "job.json", kMpiJob);
        // As root, on fewer cores than processes, in a container: none of that is the test's point.
        ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
        ::setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
        ::setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
        ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
        ::setenv("OMP_NUM_THREADS", "1", 1);
        ::setenv("OMPI_MCA_btl", "self,vader,tcp", 1);
        ::setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 1);
    }

    fs::path run(const std::string& name) const { return folder_ / name; }
    std::string output() const { return read_text(folder_ / "output.txt"); }

    int train(const std::string& name, int processes, std::vector<std::string> more = {}) const {
        std::vector<std::string> arguments{"train", "--job", folder_ / "job.json", "--out",
                                           run(name)};
        arguments.insert(arguments.end(), more.begin(), more.end());
        std::string program = built_program("headroom");
        if (processes > 1) {
            arguments.insert(arguments.begin(), {"-n", std::to_string(processes), program});
            program = HEADROOM_MPIRUN;
        }
        return wait_for_child(start_program(program, arguments, folder_ / "output.txt"));
    }

    void expect_same(const std::string& a, const std::string& b) const {
        const RunSeries x = read_run_log(RunFolder{run(a)}.log());
        const RunSeries y = read_run_log(RunFolder{run(b)}.log());
        EXPECT_EQ(x.state, RunState::kFinished);
        EXPECT_EQ(x.train.batch_hash, y.train.batch_hash);
        ASSERT_EQ(x.train.loss.size(), y.train.loss.size());
        for (size_t i = 0; i < x.train.loss.size(); ++i)
            EXPECT_NEAR(x.train.loss[i], y.train.loss[i], 1e-4) << i;
        ASSERT_EQ(x.val.loss.size(), y.val.loss.size());
        for (size_t i = 0; i < x.val.loss.size(); ++i)
            EXPECT_NEAR(x.val.loss[i], y.val.loss[i], 1e-4) << i;
    }

    TemporaryFolder folder_;
};

TEST_F(MpiTrain, TwoProcessesTrainToTheLossesOfOne) {
    ASSERT_EQ(train("one", 1), 0) << output();
    ASSERT_EQ(train("two", 2), 0) << output();
    expect_same("two", "one");
}

TEST_F(MpiTrain, ARunGoesOnWithAnotherNumberOfProcesses) {
    ASSERT_EQ(train("one", 1), 0) << output();
    ASSERT_EQ(train("two", 2), 0) << output();
    const fs::path checkpoints = RunFolder{run("two")}.checkpoints();
    for (const char* file : {"step-00000030.safetensors", "step-00000030.optim.safetensors"})
        ASSERT_TRUE(fs::remove(checkpoints / file));  // so that it goes on from step 20
    ASSERT_EQ(train("two", 1, {"--resume"}), 0) << output();
    expect_same("two", "one");
}

TEST_F(MpiTrain, WhatOneProcessFailsAtEndsAllWithOneLine) {
    EXPECT_NE(train("odd", 3), 0);
    EXPECT_NE(output().find("error: 3 processes cannot share steps"), std::string::npos)
        << output();
    EXPECT_FALSE(fs::exists(RunFolder{run("odd")}.log()));
}

}  // namespace
}  // namespace headroom
