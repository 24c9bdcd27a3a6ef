#pragma once

#include <cstdint>
#include <filesystem>

#include "core/config/model_config.h"
#include "core/device/device.h"

namespace headroom {

struct ProbeBenchOptions {
    int64_t seq_len = 1024;
    bool logits = false;
    std::filesystem::path record;  ///< written, then read; the caller removes it
    int rounds = 5;                ///< of opening
};

/// Seconds to make an attention record, to open it, and to read one head of it in full.
struct ProbeBench {
    int64_t record_bytes = 0;
    double pass_s = 0;   ///< the forward pass, weights in place
    double write_s = 0;  ///< all maps computed, written and synced
    /// Straight after the system was asked to forget the file's pages, so from the disk where it
    /// obeyed: opening and the first head; then the slowest of all heads, each its first time.
    double first_open_s = 0, first_head_s = 0, slowest_head_s = 0;
    /// With the file in memory: medians, of rounds and of all heads.
    double open_s = 0, head_s = 0;
};

/// Runs a model with random weights over random tokens. EnvironmentError where writing fails.
ProbeBench bench_attention_record(const ModelConfig& model, const ProbeBenchOptions& options,
                                  Device& device);

}  // namespace headroom
