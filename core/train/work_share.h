#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/device/process_group.h"
#include "core/train/batch_source.h"

namespace headroom {

/// One process's part of a job that several train together, data parallel: whole micro-batches
/// where grad_accum is a multiple of the number of processes, else rows of every micro-batch.
/// The mean of the processes' losses and gradients is that of the whole step; a single process has
/// all of it. Masks of dropout differ from those of one process.
class WorkShare : public BatchSource {
  public:
    /// `job`, `data` and `group` must outlive it. UserError if the step cannot be shared evenly.
    WorkShare(const Job& job, const BatchSource& data, const ProcessGroup& group);

    /// The job as this process does it: batch_size, grad_accum and eval_batches are its own.
    const Job& job() const { return own_; }
    /// Of the tokens of the whole step; the same number as a single process would log.
    uint64_t step_hash(int64_t step) const;
    /// Keys this process's dropout.
    uint64_t seed() const;

    int64_t vocab_size() const override { return data_.vocab_size(); }
    /// UserError if the parts have different numbers of valid targets.
    void train_batch(int64_t step, int64_t micro, int64_t batch_size, int64_t seq_len,
                     std::span<int32_t> inputs, std::span<int32_t> targets) const override;
    void eval_batch(int64_t index, int64_t batch_size, int64_t seq_len, std::span<int32_t> inputs,
                    std::span<int32_t> targets) const override;
    std::string describe() const override { return data_.describe(); }
    std::string tokenizer_json() const override { return data_.tokenizer_json(); }

  private:
    /// A batch of all processes.
    struct WholeBatch {
        std::vector<int32_t> inputs, targets;
    };
    WholeBatch whole_batch() const;
    void copy_rows(const WholeBatch& whole, std::span<int32_t> inputs,
                   std::span<int32_t> targets) const;
    void check_even(const WholeBatch& whole) const;

    const Job& job_;
    const BatchSource& data_;
    const ProcessGroup& group_;
    Job own_;
    bool by_rows_ = false;
};

}  // namespace headroom
