#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/probe_options.h"
#include "core/device/device.h"
#include "core/probe/probe_file.h"
#include "core/weights/checkpoint_weights.h"

namespace headroom {

/// Everything that a probe of one checkpoint works with, opened and checked.
struct ProbeInput {
    CheckpointWeights weights;
    Job job;             ///< the run's; of a checkpoint alone, one that evaluates it
    ProbeHeader header;  ///< complete
    /// Every sequence, with texts where there is a tokenizer; of a kind that trains, the first
    /// batch of those that it is measured on.
    ProbeTokens tokens;
    OpenedData data;  ///< where the tokens are from; empty for given ones
    std::unique_ptr<Device> device;
    DType precision = DType::kF32;
    int64_t pass_rows = 1;      ///< sequences per forward pass, a divisor of tokens.batch_size
    std::filesystem::path out;  ///< its folder is there
    std::shared_ptr<const Tokenizer> tokenizer = {};  ///< null where there is none
    std::optional<Batch> images = {};                 ///< of a model of images: as many as tokens
    int64_t sequences = 0;                            ///< that it is measured on
};

/// UserError in one line for anything that does not fit together.
ProbeInput open_probe_input(const ProbeSchema& schema, const ProbeOptions& options);

/// The weights of a checkpoint file or of a run's newest checkpoint.
CheckpointWeights open_probe_weights(const std::string& file_or_run);

}  // namespace headroom
