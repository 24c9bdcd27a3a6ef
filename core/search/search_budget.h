#pragma once

#include <cstdint>
#include <string>

#include "core/account/match.h"
#include "core/config/model_config.h"
#include "core/study/wiring_search.h"

namespace headroom {

/// The most that a candidate may count, as `headroom describe` counts it.
class SearchBudget {
  public:
    /// UserError where no wiring of the tables that may change comes down to the budget, naming the
    /// least share that one has. REQUIRES: search.job.model.vocab_size is known unless `by` is
    /// cache.
    explicit SearchBudget(const WiringSearch& search);

    /// Bytes per token in bfloat16, parameters, or training FLOPs per token over block_size tokens.
    int64_t count(const ModelConfig& model) const;
    int64_t count(const Wiring& wiring) const;  ///< of the baseline with that wiring

    int64_t limit() const { return limit_; }
    int64_t baseline() const { return baseline_; }
    int64_t least() const { return least_; }  ///< of any wiring

  private:
    MatchMeasure measure_;
    ModelConfig model_;
    int64_t baseline_ = 0, limit_ = 0, least_ = 0;
};

/// The baseline with that wiring given as a table.
ModelConfig with_wiring(ModelConfig model, const Wiring& wiring);

}  // namespace headroom
