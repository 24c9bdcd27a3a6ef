#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/config/job.h"
#include "core/data/batch.h"
#include "core/device/device.h"
#include "core/model/model_graph.h"

namespace headroom {

/// A planned training graph in double with a fixed batch and weights large enough to be far from
/// linear.
class TrainingFixture {
  public:
    TrainingFixture(const Job& job, const std::function<void(Batch&)>& fill);

    std::vector<double> read(ValueId id) const;
    void write(ValueId id, const std::vector<double>& values);
    double loss();                              ///< of an evaluation
    double objective();                         ///< the same with what routers add to it
    double step_loss(const StepContext& = {});  ///< after a forward and a backward pass
    const TrainingGraph& training() const { return training_; }
    Executor& executor() { return *executor_; }

  private:
    ModelConfig model_;
    std::unique_ptr<Device> device_ = make_cpu_device();
    TrainingGraph training_;
    std::unique_ptr<Executor> executor_;
};

/// Compares every gradient with 4-point central differences: along three elements of each tensor,
/// and along all of them at once with signs by chance.
void check_gradients(TrainingFixture& fixture);

}  // namespace headroom
