#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/config/model_config.h"
#include "core/model/parameters.h"

namespace headroom {

/// The weights of one model, wherever they come from: a file (CheckpointWeights), a graph in memory
/// (LiveWeights), or other weights changed on the way (TransformedWeights). Whatever reads weights
/// takes one of these: devices, probes, counts and the saver. Reading gives one tensor at a time,
/// so that a model larger than memory can be read.
class WeightSource {
  public:
    virtual ~WeightSource() = default;

    /// Names the source in messages: the path of a file.
    const std::string& title() const { return title_; }
    const ModelConfig& config() const { return config_; }
    /// Every tensor of the model, in the order of the forward pass: parameter_specs(config()).
    const std::vector<ParameterSpec>& specs() const { return specs_; }
    bool has(std::string_view name) const { return find(name) != nullptr; }
    /// Step, tokens and provenance, for a file that is to hold these weights.
    const CheckpointMetadata& metadata() const { return metadata_; }

    /// How the source stores the tensor; numbers that it makes have the type they are made in.
    /// REQUIRES: has(name), as read().
    virtual StoredType type(std::string_view name) const = 0;
    /// The numbers of one tensor, row-major as in its spec. T is float or double; double gives
    /// every stored number exactly.
    template <class T>
    std::vector<T> read(std::string_view name) const;

    /// UserError if the model cannot take a sequence of so many tokens: for want of positions, or
    /// since a sliding window that is not computed here would come into force.
    void check_length(int64_t tokens) const;
    /// UserError of a model of images: for what gives it tokens.
    void check_reads_tokens() const;

  protected:
    WeightSource() = default;
    WeightSource(const WeightSource&) = default;
    WeightSource(WeightSource&&) = default;
    WeightSource& operator=(const WeightSource&) = default;
    WeightSource& operator=(WeightSource&&) = default;

    /// Takes the configuration, its tensors and, into the metadata, its text. UserError naming the
    /// source if the configuration leaves the vocabulary open.
    void set_model(std::string title, ModelConfig config);

    CheckpointMetadata metadata_;

  private:
    virtual std::vector<float> read_float(const ParameterSpec& spec) const = 0;
    virtual std::vector<double> read_double(const ParameterSpec& spec) const = 0;
    const ParameterSpec* find(std::string_view name) const;

    std::string title_;
    ModelConfig config_;
    std::vector<ParameterSpec> specs_;
};

/// Metadata entry of an imported model whose block_size is that of a window.
inline constexpr char kSlidingWindow[] = "sliding_window";

}  // namespace headroom
