#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/config/model_config.h"
#include "core/config/probe_config.h"

namespace headroom {

/// What is done to a picture each time that it is trained on.
enum class Augmentation {
    kNone,
    kFlip,     ///< mirrored left to right, half of the times
    kCropFlip  ///< also cut out of itself with a black margin of an eighth of its side
};

/// Where the tokens or pictures come from: specs, as core/data/data_spec.h has them.
struct DataConfig {
    std::string train = "task:grammar";
    std::string val = "split:0.1";   ///< a spec, or split:F for the last fraction F of `train`
    std::string tokenizer = "byte";  ///< tokenizer_spec.h
    Augmentation augment = Augmentation::kCropFlip;  ///< of pictures

    bool are_images() const;
    /// Part of `train` is evaluated on, and not trained on.
    bool holds_out() const;
    /// For people: "TRAIN, VAL".
    std::string both() const { return train + ", " + val; }
    /// For people, what is evaluated on: `val`, or both where that is a part of `train`.
    std::string evaluated() const { return holds_out() ? both() : val; }

    bool operator==(const DataConfig&) const = default;
};

/// How the learning rate runs; core/config/learning_rate.h has the formulas.
enum class Schedule { kNanogpt, kOneCycle, kLinearCosine };

/// Which tensors decay: all with two dimensions or more; those without the embeddings (and the head
/// tied to them); all.
enum class DecayGroups { kMatrices, kNoEmbeddings, kAll };

/// What a model learns to predict: the token after each position; the originals of tokens that
/// were masked (Devlin et al. 2019, arXiv:1810.04805, section 3.1), for encoders; or the class of
/// each picture.
enum class TrainingObjective { kNextToken, kMasked, kClasses };

/// More than any run will do. No warm-up is longer, so that a job can be read before its steps are
/// known, and no interval between reports.
inline constexpr int64_t kMostTrainSteps = 1'000'000'000;

/// The optimisation of one run. Lengths in tokens, rates per step.
struct TrainConfig {
    TrainingObjective objective = TrainingObjective::kNextToken;
    double mask_rate = 0.15;  ///< kMasked: share of positions that are chosen
    int64_t mask_span = 1;    ///< kMasked: how many neighbours are chosen together
    int64_t steps = 500;
    int64_t batch_size = 16;  ///< sequences per micro-batch
    int64_t seq_len = 256;
    int64_t grad_accum = 1;  ///< micro-batches per step
    double lr = 1e-3;
    double min_lr = 1e-4;
    int64_t warmup_steps = 50;
    Schedule schedule = Schedule::kNanogpt;
    int64_t decay_steps = 0;  ///< where the cosine ends; 0 = steps
    double beta1 = 0.9;
    double beta2 = 0.95;
    double eps = 1e-8;
    double weight_decay = 0.1;  ///< decoupled, of the tensors that decay_groups names
    DecayGroups decay_groups = DecayGroups::kMatrices;
    bool dwa_decay = true;   ///< DenseFormer's averaging weights decay too, as published
    double grad_clip = 1.0;  ///< largest global gradient norm; 0 = no clipping
    double dropout = 0.0;
    int64_t eval_every = 50;
    int64_t eval_batches = 20;
    int64_t checkpoint_every = 250;
    int64_t keep_checkpoints = 0;       ///< newest ones kept; 0 = all
    std::string init_from = "random";   ///< or a checkpoint file of the initial weights
    std::string init_convert = "none";  ///< none, or an uptraining method on the way in

    int64_t cosine_steps() const { return decay_steps > 0 ? decay_steps : steps; }
    bool starts_from_file() const { return init_from != "random"; }
    bool is_masked() const { return objective == TrainingObjective::kMasked; }
    bool tells_classes() const { return objective == TrainingObjective::kClasses; }
    /// Tokens of the vocabulary that the data lack: the mask, which is the last one.
    int64_t added_tokens() const { return is_masked() ? 1 : 0; }

    bool operator==(const TrainConfig&) const = default;
};

/// One run, fully resolved: enough to repeat it exactly.
struct Job {
    std::string name = "run";
    int64_t seed = 1;
    std::string device = "auto";    ///< cpu, cuda or auto
    DType precision = DType::kF32;  ///< of activations: float32, float64 or bfloat16
    ModelConfig model;
    DataConfig data;
    TrainConfig train;
    std::vector<ProbeConfig> probes;  ///< during training and at its end

    bool operator==(const Job&) const = default;
};

}  // namespace headroom
