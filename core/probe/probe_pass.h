#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/batch.h"
#include "core/device/device.h"
#include "core/model/model_graph.h"
#include "core/ops/attention.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// What a probe keeps of a forward pass. Layers are numbered from 0.
struct ProbeTaps {
    std::set<std::string> names = {};  ///< activations, ours or aliases (activation_names.h)
    std::set<int> attention_layers =
        {};                ///< queries, keys, values and outputs as attention has them
    bool streams = false;  ///< the residual stream before and after every block

    static ProbeTaps all_attention(const ModelConfig& model);
};

struct ProbeShape {
    int64_t batch_size = 1, seq_len = 0;
    DType precision = DType::kF32;
};

/// One of the four things that a head of attention has for each token.
enum class HeadPart { kQuery, kKey, kValue, kOutput };

/// Rows of one tensor for every token, in float64: [rows, columns] row-major.
struct TokenMatrix {
    int64_t rows = 0, columns = 0;
    std::vector<double> values;

    std::span<const double> row(int64_t i) const {
        return std::span(values).subspan(static_cast<size_t>(i * columns),
                                         static_cast<size_t>(columns));
    }
};

/// A forward pass of a model in evaluation mode that keeps some of its activations. Memory is what
/// inference needs plus the taps. Works for every architecture: attention is read where the graph
/// says that it reads, whichever layer projected it.
class ProbePass {
  public:
    /// UserError for an activation or layer that the model does not have.
    ProbePass(const ModelConfig& model, const ProbeShape& shape, const ProbeTaps& taps,
              Device& device);

    /// What the constructor allocates on a CPU with so many threads.
    static MemoryLedger memory(const ModelConfig& model, const ProbeShape& shape,
                               const ProbeTaps& taps, int threads);

    void load(const WeightSource& weights);

    /// [batch_size, seq_len] row-major. UserError for an id outside the vocabulary.
    void run(std::span<const int32_t> tokens);
    /// The same of a batch that holds what the model reads: "tokens", or "patches".
    void run(const Batch& batch);
    /// Until the pass is done. A device may only have been asked to work when run() returns; all
    /// that reads below waits by itself.
    void wait() const;

    const ModelConfig& model() const { return model_; }
    const ProbeShape& shape() const { return shape_; }

    /// REQUIRES for all below: run() before, and the tap. `b` is the row of the batch.
    TokenMatrix read(std::string_view name, int64_t b) const;
    /// The residual stream after block `layer` (for DenseFormer after its average), -1: before the
    /// first; with hyper-connections the sum of the streams. [seq_len, d_model], before ln_f.
    TokenMatrix stream(int layer, int64_t b) const;
    /// The same of the whole batch, [batch_size * seq_len, d_model]. T is float or double.
    template <class T>
    void copy_stream(int layer, std::span<T> out) const;
    /// Of a model of images what its classifier would pool of that stream, the class token's row or
    /// the mean of all: [batch_size, d_model].
    template <class T>
    void copy_pooled(int layer, std::span<T> out) const;
    /// [seq_len, width]. `head` is a query head; its key and value are those of its group, zero
    /// where the wiring gives it none.
    TokenMatrix head(int layer, int head, HeadPart part, int64_t b) const;
    /// The options of the layer's attention: scale, mask, groups.
    const AttentionOptions& attention(int layer) const;

  private:
    struct AttentionTap {
        const AttentionOptions* options = nullptr;  ///< null: not tapped
        std::vector<ValueId> inputs;
        ValueId out = kNoValue;
    };

    /// The graph alone.
    ProbePass(const ModelConfig& model, const ProbeShape& shape, const ProbeTaps& taps);
    void tap_attention(int layer);
    const AttentionTap& tap(int layer) const;
    /// As in stream(): -1 is what the first block reads.
    ValueId stream_value(int layer) const;
    TokenMatrix columns(ValueId value, int64_t b, int64_t first, int64_t count) const;

    ModelConfig model_;
    ProbeShape shape_;
    InferenceGraph inference_;
    std::vector<AttentionTap> attention_;  ///< per layer
    std::unique_ptr<Executor> executor_;
};

}  // namespace headroom
