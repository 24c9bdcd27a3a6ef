#pragma once

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/config/job.h"
#include "core/data/data_source.h"
#include "core/device/device.h"
#include "core/model/model_graph.h"
#include "core/train/data_parallel_shard.h"
#include "core/train/evaluation.h"

namespace headroom {

/// What one optimizer step measured.
struct StepResult {
    double loss = 0;  ///< nats per token, mean over the micro-batches, or over all targets of
                      ///< a masked objective; of images per image
    double accuracy = std::nan("");  ///< share of its images that are told rightly; NaN of tokens
    double grad_norm = 0;            ///< before clipping
    double lr = 0;
    uint64_t batch_hash = 0;  ///< of all micro-batches
};

/// The loss or a gradient was not a number. The weights are those before the step.
class NonFiniteError : public EnvironmentError {
  public:
    NonFiniteError(int64_t step, const StepResult& result, const std::string& first);
    const StepResult& result() const { return result_; }

  private:
    StepResult result_;
};

/// The computation of one run, without files: weights and moments on a device, steps and
/// evaluations on demand. The same job gives the same numbers, bit for bit, on the CPU.
class TrainingSession {
  public:
    /// All arguments must outlive the session. job.model.vocab_size must be known. In a group every
    /// process makes the same calls; each computes its share of the steps and evaluations, and all
    /// return the same losses and keep the same weights.
    TrainingSession(const Job& job, const DataSource& data, Device& device,
                    ProcessGroup& group = solo_group());

    /// Random weights, or those of train.init_from.
    void initialize();
    /// Gives all processes the weights and moments of rank 0.
    void broadcast_state();
    /// Takes weights and moments from a checkpoint of this job; returns its step.
    int64_t restore(const CheckpointFiles& files);
    void save(const std::filesystem::path& checkpoints, const CheckpointMetadata& metadata) const;

    /// StepResult::batch_hash of a step, from the data alone.
    uint64_t batch_hash(int64_t step) const { return share_.step_hash(step, now_.batch); }
    /// LossSum::batch_hash of an evaluation, from the data alone, which are read once for it.
    uint64_t evaluation_hash() {
        if (!evaluation_hash_) evaluation_hash_ = share_.evaluation_hash(now_.batch);
        return *evaluation_hash_;
    }
    /// Step number `step` (1-based): forward, backward, clip, update. Throws NonFiniteError naming
    /// the first operator whose result was not finite.
    StepResult step(int64_t step);
    /// See evaluate_loss.
    double evaluate() { return evaluate_sum().mean(); }
    LossSum evaluate_sum();

    int64_t tokens_per_step() const;
    const Executor& executor() const { return *executor_; }
    Executor& executor() { return *executor_; }
    const TrainingGraph& training_graph() const { return training_; }

  private:
    struct MicroBatch {
        int64_t step = 0, micro = 0;  ///< step 0: none yet
        Batch batch;
    };

    void fetch(int64_t step, int64_t micro, MicroBatch& to) const;
    void write_mean_over(int64_t step);
    void fetch_ahead(const StepContext& context);
    double run_micro_batch(const StepContext& context, StepResult& result);
    double run_micro_batches(StepContext& context, StepResult& result);
    bool tells_classes() const { return training_.correct != kNoValue; }
    void average_gradients();
    [[noreturn]] void report_nonfinite(const StepContext& context, const StepResult& result,
                                       bool updated);

    const Job& job_;
    Device& device_;
    ProcessGroup& group_;
    DataParallelShard share_;
    TrainingGraph training_;
    std::unique_ptr<Executor> executor_;
    MicroBatch now_, next_;
    std::optional<uint64_t> evaluation_hash_;
};

}  // namespace headroom
