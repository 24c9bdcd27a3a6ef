#pragma once

#include <cstdint>

#include "core/config/job.h"
#include "core/data/data_source.h"
#include "core/device/process_group.h"
#include "core/model/objective_data.h"

namespace headroom {

/// One process's part of a job that several train together, data parallel: whole micro-batches
/// where grad_accum is a multiple of the number of processes, else rows of every micro-batch.
/// The mean of the processes' losses and gradients is that of the whole step; a single process has
/// all of it. Masks of dropout differ from those of one process. Its batches are those of the job's
/// objective.
class DataParallelShard : public DataSource {
  public:
    /// `job`, `data` and `group` must outlive it. UserError if the step cannot be shared evenly.
    DataParallelShard(const Job& job, const DataSource& data, const ProcessGroup& group);

    /// The job as this process does it: batch_size, grad_accum and eval_batches are its own.
    const Job& job() const { return own_; }
    /// Of the batches of the whole step; the same number as a single process would log. `part` is a
    /// batch of this process.
    uint64_t step_hash(int64_t step, const Batch& part) const;
    /// The same of the batches of an evaluation.
    uint64_t evaluation_hash(const Batch& part) const;
    /// Keys this process's dropout.
    uint64_t seed() const;

    /// Whether a micro-batch's loss is to be divided by mean_over in place of its own number of
    /// targets: where these differ and there are several.
    bool has_mean_over() const;
    /// Targets of a step that count, for each of the parts that it is made in: with it the mean
    /// over all parts is that over all targets. REQUIRES: has_mean_over().
    double mean_over(int64_t step) const;

    const DataInfo& info() const override { return data_.info(); }
    /// Batches of job().train.batch_size rows. UserError if the parts of the processes have
    /// different numbers of valid targets and there is no mean_over.
    void train_batch(int64_t step, int64_t micro, Batch& batch) const override;
    void eval_batch(int64_t index, Batch& batch) const override;

  private:
    void check_even(const Batch& whole) const;

    const Job& job_;
    ObjectiveData data_;
    const ProcessGroup& group_;
    Job own_;
    bool by_rows_ = false;
};

}  // namespace headroom
