#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_weights.h"
#include "core/surgery/uptrain.h"

namespace headroom {

struct UptrainChoice {
    UptrainMethod method = UptrainMethod::kMeanV;
    int64_t n_kv_head = 0;  ///< kMeanKv: a divisor of n_head; 0 = n_head / 2
};

/// The model that the conversion gives: SkipV1Former with half of the value heads, or GQA.
/// UserError naming the key unless `source` is a multi-head model whose every layer projects its
/// own keys and values.
ModelConfig uptrained_config(const ModelConfig& source, const UptrainChoice& choice);

/// A multi-head checkpoint seen as the converted model, one tensor at a time. Tensors that the
/// conversion does not touch keep their bits. One thread at a time.
class UptrainedWeights {
  public:
    /// `source` must outlive this. UserError as uptrained_config, naming the file.
    UptrainedWeights(const ModelWeights& source, const UptrainChoice& choice);

    UptrainMethod method() const { return choice_.method; }
    const ModelConfig& config() const { return config_; }
    const std::vector<ParameterSpec>& specs() const { return specs_; }
    /// The source's, with the new configuration and where it came from: `uptrained_from`,
    /// `uptrained_with`, and the `uptrained_step` of the source instead of a step.
    CheckpointMetadata metadata() const;
    /// As the source stores the tensor of that name.
    StoredType type(std::string_view name) const { return source_.type(name); }

    std::vector<double> read(const std::string& name);

  private:
    bool has_own_half(int layer) const;
    std::vector<double> read_grouped(const ParameterSpec& spec) const;
    const Matrix& converted(const ParameterSpec& spec);
    Matrix matrix(int layer, const char* name) const;

    const ModelWeights& source_;
    UptrainChoice choice_;
    ModelConfig config_;
    std::vector<ParameterSpec> specs_;
    int layer_ = -1;  ///< of `values_`: its tensors are asked for one after the other
    ValueOutput values_;
};

/// Writes the converted checkpoint, atomically. Returns warnings about numbers that are not finite.
std::vector<std::string> save_uptrained(UptrainedWeights& weights,
                                        const std::filesystem::path& path,
                                        const std::function<void(double share)>& progress = {});

}  // namespace headroom
