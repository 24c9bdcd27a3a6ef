#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/model/model_graph.h"

namespace headroom {

/// Biases, the GELU that libraries have, gradients over two micro-batches: all that can be fused.
Job job_with_everything(const std::string& arch, DType precision);

/// The training graph of a job on a device, with weights and a batch.
class GraphTrainer {
  public:
    GraphTrainer(const Job& job, Device& device);

    /// Two micro-batches and the loss without gradients, three times: as they come, while they are
    /// recorded, and played.
    void run();
    /// The same once, node by node.
    void run_apart();

    /// Gradients of parameters and losses, by name.
    std::map<std::string, std::vector<double>> results() const;

  private:
    template <class Run>
    void run_phases(Run&& run);

    TrainingGraph training_;
    std::unique_ptr<Executor> executor_;
};

/// Expects the same results: each by itself or, where rounding to bfloat16 hides small gradients,
/// all of them as one vector.
void expect_near(const GraphTrainer& a, const GraphTrainer& b, double tolerance, bool each);

}  // namespace headroom
