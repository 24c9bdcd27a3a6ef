#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/device/device.h"
#include "core/model/model_graph.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// Gives every parameter of the executor its initial values and remakes the working copies.
void initialize_weights(Executor& executor, const std::vector<GraphParameter>& parameters,
                        uint64_t seed);

/// Copies the tensors of `file` into the parameters and remakes the working copies. UserError
/// naming the file and the tensor if one is missing, has another shape, or does not belong to the
/// model.
void load_weights(Executor& executor, const std::vector<GraphParameter>& parameters,
                  const SafetensorsFile& file);

/// The same from weights that are checked already. REQUIRES: they have a tensor of the right size
/// for every parameter.
void load_weights(Executor& executor, const std::vector<GraphParameter>& parameters,
                  const WeightSource& weights);

/// Reads and writes what resuming needs beside the weights: both moments of every parameter.
void load_moments(Executor& executor, const std::vector<GraphParameter>& parameters,
                  const SafetensorsFile& file);

/// Writes the weights and moments of a training step to `checkpoints` (write_training_checkpoint).
void save_training_checkpoint(const Executor& executor,
                              const std::vector<GraphParameter>& parameters,
                              const std::filesystem::path& checkpoints,
                              const CheckpointMetadata& metadata);

}  // namespace headroom
