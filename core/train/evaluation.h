#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/hash.h"
#include "core/config/job.h"
#include "core/data/data_source.h"
#include "core/device/device.h"
#include "core/model/model_graph.h"
#include "core/model/objective_data.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// A loss summed over targets.
struct LossSum {
    double nats = 0;
    int64_t targets = 0;
    double correct = std::nan("");  ///< targets that are told rightly; NaN of tokens
    /// What routers told (router_numbers), summed over so many batches.
    std::vector<double> routers{};
    int64_t batches = 0;
    uint64_t batch_hash = kHashSeed;  ///< of the batches

    double mean() const {
        return targets == 0 ? std::nan("") : nats / static_cast<double>(targets);
    }
    /// Means over the batches; empty without routers or batches.
    std::vector<double> router_means() const;
    /// Share of them. NaN of tokens.
    double accuracy() const {
        return targets == 0 ? std::nan("") : correct / static_cast<double>(targets);
    }
};

/// Loss in nats over the valid targets of `eval_batches` fixed batches: an exact token
/// mean, without dropout. Runs phase kEvaluate of `executor`, whose results `watched` are
/// `values.eval_loss` and eval_correct.
LossSum evaluate_loss(Executor& executor, const EvaluationValues& values, const DataSource& data,
                      int64_t eval_batches);
/// Watches them.
void watch_evaluation(Executor& executor, const EvaluationValues& values);

/// A checkpoint's model, ready to be evaluated on what the job's objective makes of the data; no
/// gradients and no optimizer state in memory.
class EvaluationSession {
  public:
    /// `job`, `data` and `device` must outlive the session.
    EvaluationSession(const Job& job, const DataSource& data, Device& device);
    void load(const WeightSource& weights);
    double evaluate() { return evaluate_sum().mean(); }
    /// With the number of targets.
    LossSum evaluate_sum();

  private:
    const Job& job_;
    ObjectiveData data_;
    EvaluationGraph evaluation_;
    std::unique_ptr<Executor> executor_;
};

}  // namespace headroom
