#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/config/job.h"
#include "core/device/device.h"

namespace headroom {

/// Sizes of a set of linear classifiers: one for each stream, task and learning rate.
struct ClassifierSet {
    int streams = 1;            ///< matrices [rows, d_model] that are classified row by row
    int tasks = 1;              ///< vectors [rows] of targets
    std::vector<double> rates;  ///< highest learning rate of each schedule
    int64_t rows = 0;           ///< of one micro-batch
    int64_t d_model = 0;
    int64_t vocab_size = 0;
    bool correct = false;      ///< counts what is told rightly, too; for few classes
    DType type = DType::kF32;  ///< float32 or float64, of streams and weights
    /// Steps, warm-up, AdamW's numbers, clipping and grad_accum; of lr and min_lr only min_lr / lr
    /// counts: every rate follows the same schedule.
    TrainConfig train = {};
    uint64_t seed = 1;  ///< of the initial weights, with which all classifiers start
};

/// Linear classifiers on given vectors, all trained in one graph: logits = LayerNorm(x) W with a
/// gain (no bias; eps 1e-5), W [d_model, vocab_size] from N(0, 0.02^2), on mean cross-entropy with
/// AdamW; W decays, gains do not. Gradients are clipped for each classifier by itself. Streams are
/// inputs of the graph: nothing flows back into what made them. (Alain and Bengio 2016,
/// arXiv:1610.01644; the form is that of Wu et al., SkipV1Former, appendix C.1.)
class ProbeClassifiers {
  public:
    ProbeClassifiers(const ClassifierSet& set, Device& device);
    ~ProbeClassifiers();

    /// What the constructor allocates.
    static MemoryLedger memory(const ClassifierSet& set, int threads);

    /// One micro-batch, for train() or evaluate(). T is that of the set; targets may be
    /// kIgnoredTarget.
    template <class T>
    void write_stream(int stream, std::span<const T> values);
    void write_targets(int task, std::span<const int32_t> targets);

    /// Gradients of what was written, added to those of micro-batches before it (0-based `micro`).
    /// After the last one the weights are updated. `step` is 1-based.
    void train(int64_t step, int64_t micro);
    /// Losses of what was written, without training.
    void evaluate();

    /// Nats per token in the last train() or evaluate().
    double train_loss(int stream, int task, int rate) const;
    double eval_loss(int stream, int task, int rate) const;
    /// How many targets the last evaluate() told rightly. REQUIRES: set.correct.
    double eval_correct(int stream, int task, int rate) const;

    const ClassifierSet& set() const { return set_; }

  private:
    struct Program;  // the graph
    static Program build(const ClassifierSet& set);
    size_t index(int stream, int task, int rate) const;

    ClassifierSet set_;
    std::unique_ptr<Program> program_;
    std::unique_ptr<Executor> executor_;
};

}  // namespace headroom
