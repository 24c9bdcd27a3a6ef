#pragma once

#include <span>
#include <string>
#include <vector>

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
    double gradient_norm = 0;                  ///< of the loss on the probed tokens
    std::vector<double> singular_values = {};  ///< descending; of matrices only
};

/// Gradients of a model's loss on given tokens: mean next-token cross-entropy over all but the last
/// token of every sequence, without dropout; by the graph that trains it. Memory is what training
/// needs without an optimizer.
class GradientPass {
  public:
    /// `passes` of this shape make up all the tokens.
    GradientPass(const ModelConfig& model, const ProbeShape& shape, int64_t passes, Device& device);

    /// What the constructor allocates on a CPU with so many threads.
    static MemoryLedger memory(const ModelConfig& model, const ProbeShape& shape, int threads);

    void load(const WeightSource& weights);
    /// Forward and backward over [batch_size, seq_len] tokens. REQUIRES: ids in the vocabulary; to
    /// be called `passes` times before the results are read.
    void run(std::span<const int32_t> tokens);

    double loss() const { return loss_ / static_cast<double>(passes_); }
    /// Gradient of a parameter by its name, in float64; zeros where the loss does not reach it.
    std::vector<double> gradient(const std::string& name) const;

  private:
    ProbeShape shape_;
    int64_t passes_, done_ = 0;
    double loss_ = 0;
    TrainingGraph training_;
    std::unique_ptr<Executor> executor_;
};

/// Norms, gradient norms and singular values of every tensor, in the order of the forward pass.
std::vector<WeightNumbers> measure_weights(const WeightSource& weights,
                                           const GradientPass& gradients);

void write_weights(ArrayFileWriter& file, const std::vector<WeightNumbers>& numbers);

}  // namespace headroom
