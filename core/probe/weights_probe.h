#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/data/batch.h"
#include "core/device/device.h"
#include "core/log/array_file.h"
#include "core/probe/probe_pass.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// What is measured of one weight tensor.
struct WeightNumbers {
    std::string name;
    Shape shape;
    double norm = 0;                           ///< Frobenius
    double gradient_norm = 0;                  ///< of GradientPass, on the probed tokens
    std::vector<double> singular_values = {};  ///< descending; of matrices only
};

/// Gradients of a model's loss on given tokens: mean cross-entropy over the targets that count of
/// all of them, without dropout; by the graph that trains it, so that of a mixture of experts its
/// balance and z losses are in it as in training. Memory is what training needs without
/// an optimizer.
class GradientPass {
  public:
    /// `asked`: all the tokens with their targets, in passes of this shape; outlives the pass.
    /// UserError where there are no targets.
    GradientPass(const ModelConfig& model, const ProbeShape& shape, const Batch& asked,
                 Device& device);

    /// What the constructor allocates on a CPU with so many threads.
    static MemoryLedger memory(const ModelConfig& model, const ProbeShape& shape, int threads);

    void load(const WeightSource& weights);
    /// Forward and backward over all of them. REQUIRES: ids in the vocabulary; called once.
    void run();

    double loss() const { return loss_ / static_cast<double>(passes_); }
    /// Gradient of a parameter by its name, in float64; zeros where the loss does not reach it.
    std::vector<double> gradient(const std::string& name) const;

  private:
    const Batch& asked_;
    int64_t passes_;
    double loss_ = 0;
    TrainingGraph training_;
    std::unique_ptr<Executor> executor_;
};

/// Norms, gradient norms and singular values of every tensor, in the order of the forward pass.
std::vector<WeightNumbers> measure_weights(const WeightSource& weights,
                                           const GradientPass& gradients);

void write_weights(ArrayFileWriter& file, const std::vector<WeightNumbers>& numbers);

}  // namespace headroom
