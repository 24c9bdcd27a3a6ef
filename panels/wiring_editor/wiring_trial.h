#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/job.h"
#include "core/wiring/wiring_edit.h"

namespace headroom {

/// A trained run whose weights a wiring can be laid over.
struct TrialRun {
    std::string id, name;
    std::filesystem::path folder;
    int64_t step = 0;  ///< of its newest checkpoint
    std::shared_ptr<const Job> job;

    bool operator==(const TrialRun& other) const;
};

/// A way in which weights become those of another wiring: a word of `headroom probe wiring
/// --convert`.
struct TrialWay {
    std::string name, title;
    std::string refusal;  ///< why it cannot be here, in the words of core; "" if it can
};

/// Reading sources as they are first, then the uptraining methods. `projected` of the drawing.
std::vector<TrialWay> trial_ways(const ModelConfig& trained, const ModelConfig& drawn,
                                 const ProjectedHeads& projected);

/// What is asked of `headroom probe wiring`: `table` and `out` are files.
std::vector<std::string> trial_arguments(const TrialRun& run, const std::string& way,
                                         int64_t sequences, const std::filesystem::path& table,
                                         const std::filesystem::path& out);

/// Losses in nats per token.
struct WiringTrial {
    double loss = 0, rewired = 0;
    std::optional<double> standard_error;  ///< of the mean difference between sequences
    int64_t sequences = 0, seq_len = 0;
};

/// The result that `headroom probe wiring --stream` prints in the end. UserError for any other.
WiringTrial read_trial(const nlohmann::json& result);

/// "loss 2.1034 → 2.1200: +0.0166 ± 0.0021 nats per token, in 8 sequences of 64 tokens".
std::string trial_words(const WiringTrial& trial);

}  // namespace headroom
