#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/config/model_config.h"
#include "core/device/device.h"

namespace headroom {

/// Models that are timed against each other at one batch size and prompt length. Each model's
/// vocab_size must be known and its block_size hold context + new_tokens (learned positions).
struct DecodeCase {
    std::vector<ModelConfig> models;
    int64_t batch_size = 1;
    int64_t context = 512;  ///< tokens of the prompt
};

struct DecodeBenchOptions {
    DType precision = DType::kF32;
    int64_t new_tokens = 32;
    int rounds = 3;
    bool by_op = false;  ///< also time every operator of the steps
    std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// One model in one case: medians over all rounds.
struct DecodeBench {
    double prefill_ms_per_100_tokens = 0;  ///< of one sequence's tokens
    double step_seconds = 0;
    double tokens_per_second = 0;  ///< of all sequences together
    /// How many times as fast as the case's first model: prompt, and steps. Medians of the ratios
    /// of neighbouring times, so that what slows the machine for a while slows both.
    double prefill_speed = 1, step_speed = 1;
    /// What a step must read: every matrix once, and in every layer what its heads attend to of the
    /// cache as it is half-way through.
    double bytes_per_step = 0;
    double memory_rate = 0;  ///< bytes per second, see DeviceCeilings, measured meanwhile
    int64_t weight_bytes = 0;
    int64_t cache_bytes = 0;  ///< of the whole capacity, from the arena
    int64_t other_bytes = 0;  ///< activations, inputs, results and workspace
    int64_t predicted_cache_bytes = 0;
    std::vector<OpTime> ops;  ///< of one step

    double share_of_memory_rate() const { return bytes_per_step / step_seconds / memory_rate; }
};

/// Goes through all cases once in every round, so that a slow minute of a shared machine does not
/// fall on one of them alone; within a case the models and a reading of memory take turns every few
/// steps, in one order and in the other. Random weights, the same tokens for all. One list for each
/// case, in the order of its models.
std::vector<std::vector<DecodeBench>> bench_decoding(const std::vector<DecodeCase>& cases,
                                                     const DecodeBenchOptions& options,
                                                     Device& device);

}  // namespace headroom
