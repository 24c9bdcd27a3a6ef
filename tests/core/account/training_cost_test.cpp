#include "core/account/training_cost.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/config/job_json.h"

namespace headroom {
namespace {

/// Ten steps of 2 * 3 * 16 = 96 tokens, evaluated on 5 * 2 * 16 = 160 every fourth and at the end.
Job ten_steps() {
    return parse_job(nlohmann::json::parse(R"({
        "model": {"n_layer": 2, "n_head": 2, "d_model": 16, "block_size": 16, "vocab_size": 50},
        "train": {"steps": 10, "batch_size": 2, "grad_accum": 3, "seq_len": 16, "warmup_steps": 1,
                  "eval_every": 4, "eval_batches": 5, "checkpoint_every": 4}})"),
                     "");
}

TEST(TrainingCost, CountsTheEvaluationAfterTheLastStepAndBeforeTheFirstOfGivenWeights) {
    Job job = ten_steps();
    const auto forward = static_cast<double>(count_flops(job.model, 16).forward());
    EXPECT_EQ(training_cost(job).tokens, 960);
    EXPECT_DOUBLE_EQ(training_cost(job).eval_flops, forward * 160 * 3) << "at 4, 8 and 10";
    job.train.steps = 8;
    EXPECT_DOUBLE_EQ(training_cost(job).eval_flops, forward * 160 * 2);
    job.train.init_from = "weights.safetensors";
    EXPECT_DOUBLE_EQ(training_cost(job).eval_flops, forward * 160 * 3) << "at 0, 4 and 8";
    job.train.eval_every = 0;
    EXPECT_EQ(training_cost(job).eval_flops, 0);
}

TEST(TrainingCost, CountsTheCheckpointsThatAreKept) {
    Job job = ten_steps();
    // Weights and two moments in float32; 44 bytes of the log a step.
    const int64_t checkpoint = 12 * training_cost(job).parameters.total;
    EXPECT_EQ(training_cost(job).disk_bytes, 3 * checkpoint + 440) << "of 4, 8 and 10";
    job.train.keep_checkpoints = 2;
    EXPECT_EQ(training_cost(job).disk_bytes, 2 * checkpoint + 440);
    job.train.keep_checkpoints = 7;
    EXPECT_EQ(training_cost(job).disk_bytes, 3 * checkpoint + 440);
    job.train.checkpoint_every = 0;
    EXPECT_EQ(training_cost(job).disk_bytes, checkpoint + 440) << "that of the end";
    job.train.steps = 0;
    job.train.checkpoint_every = 4;
    EXPECT_EQ(training_cost(job).disk_bytes, checkpoint) << "that of the first weights";
}

}  // namespace
}  // namespace headroom
