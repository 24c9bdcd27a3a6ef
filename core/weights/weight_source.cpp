#include "core/weights/weight_source.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"

namespace headroom {

void WeightSource::set_model(std::string title, ModelConfig config) {
    title_ = std::move(title);
    config_ = std::move(config);
    if (config_.vocab_size == 0)
        throw UserError(fmt::format("{}: model.vocab_size = 0 leaves the vocabulary open", title_),
                        "give the number of token embeddings");
    specs_ = parameter_specs(config_);
    metadata_.config_json = to_json(config_).dump();
}

const ParameterSpec* WeightSource::find(std::string_view name) const {
    const auto spec = std::find_if(specs_.begin(), specs_.end(),
                                   [&](const ParameterSpec& s) { return s.name == name; });
    return spec == specs_.end() ? nullptr : &*spec;
}

template <class T>
std::vector<T> WeightSource::read(std::string_view name) const {
    const ParameterSpec* spec = find(name);
    CHECK(spec != nullptr, "not a tensor of the model: " + std::string(name));
    std::vector<T> values;
    if constexpr (std::is_same_v<T, float>)
        values = read_float(*spec);
    else
        values = read_double(*spec);
    CHECK(static_cast<int64_t>(values.size()) == spec->count(),
          "wrong size of tensor " + spec->name);
    return values;
}

template std::vector<float> WeightSource::read(std::string_view) const;
template std::vector<double> WeightSource::read(std::string_view) const;

void WeightSource::check_reads_tokens() const {
    if (config_.reads_images())
        throw UserError(title_ + " is a model of images and reads no tokens",
                        "evaluate it with headroom eval --data images:FOLDER, or take a model with "
                        "model.input = tokens");
}

void WeightSource::check_length(int64_t tokens) const {
    // A file of ours that was imported carries the length, too.
    const bool limited =
        config_.pos == Positions::kLearned || metadata_.other.contains(kSlidingWindow);
    if (limited && tokens > config_.block_size)
        throw UserError(
            fmt::format("{} tokens do not fit the model's block_size of {}{}", tokens,
                        config_.block_size,
                        config_.pos == Positions::kLearned ? "" : ", its sliding window"),
            "give fewer tokens");
}

}  // namespace headroom
