#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/checkpoint/safetensors.h"

namespace headroom {

/// What a checkpoint says about itself, in its `__metadata__`. The configuration stays JSON text
/// here.
struct CheckpointMetadata {
    std::string config_json;
    std::optional<int64_t> step;                            ///< only when it comes from training
    std::optional<int64_t> tokens;                          ///< likewise
    std::map<std::string, std::string, std::less<>> other;  ///< further entries, kept as they are
};

/// An opened checkpoint; UserError if it has no `config`, another `format` than
/// headroom-checkpoint/1, or a step that is no number.
struct Checkpoint {
    SafetensorsFile file;
    CheckpointMetadata metadata;

    static Checkpoint open(const std::filesystem::path& path);
};

/// The `__metadata__` of a checkpoint file.
std::map<std::string, std::string, std::less<>> checkpoint_entries(
    const CheckpointMetadata& metadata);

void write_checkpoint(const std::filesystem::path& path, const CheckpointMetadata& metadata,
                      std::span<const TensorToWrite> tensors);

/// The two files of one training checkpoint: weights and, for resuming, optimiser state.
struct CheckpointFiles {
    int64_t step = 0;
    std::filesystem::path weights;    ///< step-00000500.safetensors
    std::filesystem::path optimizer;  ///< step-00000500.optim.safetensors
};

/// The names for `step` in the folder `checkpoints` (nothing is created).
CheckpointFiles checkpoint_files(const std::filesystem::path& checkpoints, int64_t step);

/// Writes both files of a training checkpoint, the optimiser state first: a checkpoint whose
/// weights are there is finished. REQUIRES: metadata.step is set.
void write_training_checkpoint(const std::filesystem::path& checkpoints,
                               const CheckpointMetadata& metadata,
                               std::span<const TensorToWrite> weights,
                               std::span<const TensorToWrite> optimizer);

/// The finished checkpoints in the folder, oldest first; empty if there is no such folder. To look
/// at one its weights are enough: the optimiser's file may be gone.
std::vector<CheckpointFiles> list_checkpoints(const std::filesystem::path& checkpoints);

/// Why training cannot go on from a checkpoint, in one line; "" where both of its files open and
/// agree on the step.
std::string resume_problem(const CheckpointFiles& files);

/// To go on training from: the newest one up to `max_step`, the last step of the log, that has no
/// resume_problem(); none if there is none.
std::optional<CheckpointFiles> newest_checkpoint(
    const std::filesystem::path& checkpoints,
    int64_t max_step = std::numeric_limits<int64_t>::max());

/// Removes all but the newest `keep` checkpoints (0 = keeps all) and what killed writers of
/// checkpoints left behind.
void prune_checkpoints(const std::filesystem::path& checkpoints, int64_t keep);

}  // namespace headroom
