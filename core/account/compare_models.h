#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/dtype.h"
#include "core/config/model_config.h"

namespace headroom {

/// The same count of two models.
struct CountPair {
    int64_t model = 0;
    int64_t baseline = 0;

    int64_t difference() const { return model - baseline; }
    bool operator==(const CountPair&) const = default;
};

/// "-2,546,820 (-2.17 %)", or "0".
std::string change_text(const CountPair& pair);

/// A key of the model section that the two models resolve differently.
struct ChangedKey {
    std::string key;  ///< "d_ff", without "model."
    std::string model,
        baseline;          ///< the values as JSON; a word without its quotes, a wiring as "table"
    bool implied = false;  ///< in both models it stands at what their other keys imply
};

struct RoleDifference {
    std::string role;  ///< "query", "mlp", …: name_of(ParameterRole)
    CountPair params;
};

/// One layer of both; a layer that only one of them has counts 0 in the other.
struct LayerDifference {
    int layer = 0;
    CountPair params;
    std::vector<RoleDifference> roles;  ///< only those whose counts differ
    CountPair own_key_heads, own_value_heads;
    CountPair cache_numbers;  ///< per token
};

/// Two architectures side by side: what was changed, where parameters went, what it costs.
struct ModelDifference {
    std::vector<ChangedKey> keys;  ///< in the order of KEYS.md
    CountPair params_total, params_active, params_non_embedding;
    std::vector<RoleDifference> roles;  ///< every role that either has, over the whole model
    std::vector<RoleDifference> outside_roles;  ///< of tensors outside the blocks; differing ones
    std::vector<LayerDifference> layers;        ///< as many as the deeper model has
    CountPair flops_forward, flops_training;    ///< per token, both over seq_len tokens
    CountPair cache_numbers, cache_bytes;       ///< per token
    int64_t seq_len = 0;
    DType cache_dtype = DType::kBF16;
};

struct CompareOptions {
    DType cache_dtype = DType::kBF16;
    int64_t seq_len = 0;  ///< tokens that attention is counted over; 0 = the baseline's block_size
};

/// vocab_size of both must be known. Takes milliseconds.
ModelDifference compare_models(const ModelConfig& model, const ModelConfig& baseline,
                               const CompareOptions& options = {});

/// As `headroom describe --against … --json` prints it. Every pair is
/// {"model", "baseline", "difference"}.
nlohmann::json to_json(const ModelDifference& difference);

}  // namespace headroom
