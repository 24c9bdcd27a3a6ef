#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/data/batch.h"
#include "core/device/device.h"
#include "core/model/model_graph.h"
#include "core/probe/probe_pass.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// A copy of a graph in the making: nodes are appended in order, and what read a value that was
/// replaced reads its replacement from then on.
class GraphCopy {
  public:
    Graph graph;

    /// Appends a node of the original, or one like it.
    void append(Node node);
    /// A new node with one output, in the phase and of the model's own values.
    ValueId apply(OpPtr op, std::vector<ValueId> inputs, const std::string& name);
    void replace(ValueId value, ValueId by) { replaced_.emplace_back(value, by); }

  private:
    ValueId now(ValueId value) const;

    std::vector<std::pair<ValueId, ValueId>> replaced_;
};

/// What is called around every pass of a loss.
struct LossPassHooks {
    std::function<void(int64_t pass)> before = {};
    std::function<void(double nats)> after = {};  ///< its own loss; NaN without targets
};

/// The loss of a model whose attention is interfered with: every attention node goes
/// through `edit`, which appends it to the copy with what it wants before and behind.
class LossPass {
  public:
    using Edit = std::function<void(GraphCopy& copy, int layer, Node attention)>;

    enum class Keep { kLoss, kFeatures };
    LossPass(const ModelConfig& model, const ProbeShape& shape, const Edit& edit, Device& device,
             Keep keep = Keep::kLoss);

    /// What the constructor allocates on a CPU with so many threads.
    static MemoryLedger memory(const ModelConfig& model, const ProbeShape& shape, const Edit& edit,
                               int threads);

    void load(const WeightSource& weights);
    /// Writes numbers into an input that the edit added, as its type has them.
    void write(ValueId input, std::span<const double> numbers);
    /// Mean cross-entropy in nats over the targets that count, batch_size rows at a time. UserError
    /// where there are no targets.
    double loss(const Batch& asked, const LossPassHooks& hooks = {});
    /// What the last pass made of a value, as numbers. REQUIRES: it was kept.
    std::vector<double> read(ValueId value) const;
    /// What the classifier read in the last pass. REQUIRES: Keep::kFeatures.
    std::vector<double> features() const;

  private:
    EvaluationGraph evaluation_;
    std::unique_ptr<Executor> executor_;
};

/// Attention as it is.
LossPass::Edit no_edit();

/// A change of the loss with its sign; one that four digits show as zero has none.
std::string change_text(double nats);

/// `heads` blocks of `width` columns, each times its element of `scales` (an input [heads]).
OpPtr scaled_heads(int64_t heads, int64_t width);

}  // namespace headroom
