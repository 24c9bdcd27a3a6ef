#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/config/job.h"
#include "core/data/data_source.h"
#include "core/data/masked_tokens.h"

namespace headroom {

/// The batches that a job's objective is made of (train.objective): those of the data as they are,
/// or with tokens masked, the mask being the last token of the model. Whoever trains or evaluates
/// reads its data through this.
class ObjectiveData : public DataSource {
  public:
    /// `plain` must outlive it. job.model.vocab_size must be known. UserError if the data leave no
    /// token for the mask.
    ObjectiveData(const Job& job, const DataSource& plain);

    const DataInfo& info() const override { return batches().info(); }
    void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
        batches().train_batch(step, micro, batch);
    }
    void eval_batch(int64_t index, Batch& batch) const override {
        batches().eval_batch(index, batch);
    }

    /// Targets that count among those of a step of `train`; 0 where the mean over the micro-batches
    /// of a step is that of their means, whatever their targets.
    int64_t targets_of_step(int64_t step, const TrainConfig& train) const;

  private:
    const DataSource& batches() const { return masked_ ? *masked_ : plain_; }

    const DataSource& plain_;
    std::optional<MaskedTokens> masked_;
};

/// job.model.vocab_size filled from the data where it is 0: their tokens, and the mask of a masked
/// objective. UserError if the model has fewer, or reads other than the data are.
void resolve_vocab_size(Job& job, const DataSource& data);

/// Sequences of seq_len tokens, one after the other, as the objective of `train` asks a model about
/// them: each token's target the next one; or masked as the first validation rows are, the tokens
/// that may stand in for others being all but the mask. REQUIRES: whole sequences.
Batch objective_batch(const TrainConfig& train, const ModelConfig& model,
                      std::span<const int32_t> tokens, int64_t seq_len);

}  // namespace headroom
