#include "core/weights/checkpoint_weights.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/weights/interop/foreign_config.h"

namespace headroom {
namespace {

constexpr char kOurs[] = "headroom";

/// nullptr for a checkpoint of ours.
const Layout* choose_layout(const TensorSet& set, const std::string& format) {
    if (format == kOurs) return nullptr;
    if (format != "auto") return &find_layout(format);
    const Layout* layout = detect_layout(set);
    if (layout != nullptr || set.metadata().contains("config")) return layout;
    std::string known = kOurs;
    for (const Layout& other : layouts()) known += fmt::format(", {}", other.name);
    const std::string first = set.names().empty() ? "" : set.names().front();
    throw UserError(
        first.empty()
            ? fmt::format("{} holds no tensors and no \"config\"", set.path().string())
            : fmt::format("{} is no checkpoint that headroom knows: it has tensors such as {} and "
                          "no \"config\" in its metadata",
                          set.path().string(), shown(first)),
        fmt::format("known are {}", known));
}

/// The part of a tensor of the file that is one of ours, in our orientation.
template <class T>
std::vector<T> part_of(const std::vector<T>& whole, const WeightPlace& place, const Shape& shape) {
    std::vector<T> part(static_cast<size_t>(count_of(shape)));
    for_each_number(shape, place.outputs, place.orientation,
                    [&](size_t ours, size_t theirs) { part[ours] = whole[theirs]; });
    return part;
}

}  // namespace

CheckpointWeights CheckpointWeights::open(const std::filesystem::path& path,
                                          const OpenWeightsOptions& options) {
    CheckpointWeights weights;
    weights.set_ = TensorSet::open(path);
    if (const Layout* layout = choose_layout(weights.set_, options.format))
        weights.open_foreign(*layout, options);
    else
        weights.open_ours(options);
    return weights;
}

void CheckpointWeights::open_ours(const OpenWeightsOptions& options) {
    if (!options.sets.empty() || !options.config.empty())
        throw UserError(fmt::format("{} is a checkpoint of headroom, which carries its "
                                    "configuration",
                                    path().string()),
                        "leave out --set and --config");
    metadata_ = Checkpoint::open(set_.main_file()).metadata;
    const std::string source = set_.main_file().string();
    format_ = kOurs;
    set_model(path().string(),
              parse_model_config(parse_json(metadata_.config_json, source + ": config"), source));
    places_ = places_of_ours(set_, specs());
}

void CheckpointWeights::open_foreign(const Layout& layout, const OpenWeightsOptions& options) {
    format_ = layout.name;
    const BareTensors tensors(layout, set_);
    ForeignModel model = foreign_model(layout, tensors, options.sets, options.config);
    notes_ = std::move(model.notes);
    metadata_.other["converted_from"] = format_;
    if (model.longest > 0) metadata_.other[kSlidingWindow] = fmt::to_string(model.longest);
    set_model(path().string(), std::move(model.config));
    places_ = places_in_layout(layout, tensors, specs(), config().d_head, model.zero_patterns);
}

StoredType CheckpointWeights::type(std::string_view name) const {
    const auto place = places_.find(name);
    CHECK(place != places_.end(), "not a tensor of the model: " + std::string(name));
    if (place->second.tensor.empty()) return type("wte.weight");  // zeros that no file holds
    return set_.info(place->second.tensor).type;
}

template <class T>
std::vector<T> CheckpointWeights::read_as(const ParameterSpec& spec) const {
    const WeightPlace& place = places_.at(spec.name);
    if (place.tensor.empty()) return std::vector<T>(static_cast<size_t>(spec.count()));
    std::vector<T> whole = set_.file_of(place.tensor).read_as<T>(place.tensor);
    const bool as_it_is =
        place.orientation == Orientation::kSame && place.outputs.outputs == spec.shape.back();
    return as_it_is ? whole : part_of(whole, place, spec.shape);
}

std::vector<float> CheckpointWeights::read_float(const ParameterSpec& spec) const {
    return read_as<float>(spec);
}

std::vector<double> CheckpointWeights::read_double(const ParameterSpec& spec) const {
    return read_as<double>(spec);
}

std::shared_ptr<const CheckpointWeights> open_weights(const std::filesystem::path& path,
                                                      const OpenWeightsOptions& options) {
    return std::make_shared<const CheckpointWeights>(CheckpointWeights::open(path, options));
}

}  // namespace headroom
