#include "core/surgery/uptrain_model.h"

#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/conversions.h"
#include "core/config/enum_names.h"
#include "core/config/job_json.h"
#include "core/surgery/rewire_model.h"
#include "core/surgery/surgery.h"
#include "core/surgery/uptrain.h"
#include "core/weights/transformed_weights.h"

namespace headroom {
namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw UserError(why, "uptraining starts from a multi-head model, arch gpt2 or llama");
}

void check_multi_head(const ModelConfig& source) {
    if (source.mla) refuse("model.mla: latent attention has no value heads of its own");
    if (source.n_kv_head != source.n_head)
        refuse(fmt::format("model.n_kv_head = {} is fewer than model.n_head = {}", source.n_kv_head,
                           source.n_head));
    const Wiring own =
        build_wiring({}, static_cast<int>(source.n_layer), static_cast<int>(source.n_head),
                     static_cast<int>(source.n_kv_head));
    if (source.wiring != own)
        refuse(source.custom_wiring
                   ? "model.wiring: layers read each other's heads"
                   : fmt::format("model.value_source = {}, model.key_source = {}: layers read each "
                                 "other's heads",
                                 source.wiring_choice.value_source,
                                 source.wiring_choice.key_source));
    if (source.share_layers)
        refuse("model.share_layers = true: all layers have the first layer's values already");
    for (const ValueMap map : source.value.entries())
        if (map != ValueMap::kLinear)
            refuse(fmt::format("model.value = {}: there is no W_V to make smaller", spelling(map)));
}

void check_skipv1(const ModelConfig& source, const std::string& conversion) {
    if (source.n_head % 2 != 0)
        throw UserError(fmt::format("model.n_head = {} is odd", source.n_head),
                        "half of the value heads are replaced: the number must be even");
    if (source.n_layer < 2)
        throw UserError("model.n_layer = 1: only layers after the first are converted",
                        "give a model of two layers or more");
    if (changes_output(conversion) && source.out_proj.has(Projection::kIdentity))
        throw UserError(fmt::format("model.out_proj = identity: {} changes a W_O", conversion),
                        "use mean_v or top_v");
}

int64_t groups_of(const ModelConfig& source, const UptrainChoice& choice) {
    const int64_t groups = choice.n_kv_head > 0 ? choice.n_kv_head : source.n_head / 2;
    if (source.key.has(Projection::kIdentity))
        refuse("model.key = identity: there is no W_K to average");
    if (groups < 1 || groups >= source.n_head || source.n_head % groups != 0)
        throw UserError(fmt::format("n_kv_head = {} does not make groups of the {} heads", groups,
                                    source.n_head),
                        "give a divisor of n_head that is smaller than it");
    return groups;
}

/// Whether the tensor is one of the layer's maps that the letters name ("kv"), or its bias.
bool is_map_of(const ParameterSpec& spec, std::string_view letters) {
    const std::string stem = fmt::format("h.{}.attn.", spec.layer);
    if (!spec.name.starts_with(stem) || spec.name.size() <= stem.size() + 1) return false;
    const std::string_view end = std::string_view(spec.name).substr(stem.size() + 1);
    return letters.find(spec.name[stem.size()]) != std::string_view::npos &&
           (end == ".weight" || end == ".bias");
}

/// GQA: keys and values of groups of heads.
std::optional<std::vector<double>> grouped(const WeightSource& source, const ParameterSpec& spec,
                                           int64_t n_kv_head) {
    if (!is_map_of(spec, "kv")) return std::nullopt;
    return mean_of_head_groups(read_matrix(source, spec.name), source.config().n_head, n_kv_head)
        .values;
}

/// SkipV1Former: values and output of the layers that keep half of their value heads.
class HalvedValues {
  public:
    HalvedValues(std::string conversion, std::set<int> layers)
        : conversion_(std::move(conversion)), layers_(std::move(layers)) {}

    std::optional<std::vector<double>> operator()(const WeightSource& source,
                                                  const ParameterSpec& spec) {
        if (!layers_.contains(spec.layer) || !is_map_of(spec, "vo")) return std::nullopt;
        if (spec.layer != layer_) {
            // A model may have no biases: then these are empty.
            const auto matrix = [&](const char* part) {
                const std::string name = fmt::format("h.{}.attn.{}", spec.layer, part);
                return source.has(name) ? read_matrix(source, name) : Matrix{};
            };
            values_ = uptrain_values(
                conversion_,
                {matrix("v.weight"), matrix("v.bias"), matrix("o.weight"), matrix("o.bias")},
                source.config().n_head);
            layer_ = spec.layer;
        }
        if (spec.name.ends_with("v.weight")) return values_.v.values;
        if (spec.name.ends_with("v.bias")) return values_.v_bias.values;
        return spec.name.ends_with("o.weight") ? values_.o.values : values_.o_bias.values;
    }

  private:
    std::string conversion_;
    std::set<int> layers_;
    int layer_ = -1;  ///< of `values_`: its tensors are asked for one after the other
    ValueOutput values_;
};

/// Layers that keep the first half of their value heads, one projection each. UserError for a
/// layer that keeps another part.
std::set<int> halved_layers(const ModelConfig& model) {
    std::set<int> layers;
    const Wiring& wiring = model.wiring;
    const int kept = wiring.n_kv_head / 2;
    for (int layer = 0; layer < wiring.n_layer; ++layer) {
        const int own = wiring.own_value_heads[static_cast<size_t>(layer)];
        if (own == 0 || own == wiring.n_kv_head) continue;
        for (int head = 0; head < wiring.n_kv_head; ++head) {
            bool reads_own = false;
            for (const HeadSource& source :
                 wiring.values[static_cast<size_t>(layer)][static_cast<size_t>(head)])
                reads_own |= source.layer == layer && source.head == head;
            if (own != kept || reads_own != (head < kept))
                throw UserError(fmt::format("model.wiring: layer {} keeps {} of its {} value heads",
                                            layer, own, wiring.n_kv_head),
                                fmt::format("keep the first {}, or use rewire", kept));
        }
        layers.insert(layer);
    }
    return layers;
}

/// The layers that uptrain_to() converts.
std::set<int> layers_to_convert(const ModelConfig& source, const std::string& conversion,
                                const ModelConfig& wanted) {
    check_multi_head(source);
    check_skipv1(source, conversion);
    std::set<int> layers = halved_layers(wanted);
    if (layers.empty())
        throw UserError(fmt::format("model.wiring: no layer reads half of its values elsewhere, "
                                    "as {} makes them",
                                    conversion),
                        "let layers keep the first half of their value heads, or use rewire");
    return layers;
}

}  // namespace

ModelConfig uptrained_config(const ModelConfig& source, const UptrainChoice& choice) {
    check_multi_head(source);
    nlohmann::json keys = to_json(source);
    keys.erase("wiring");
    const Conversion& conversion = find_conversion(choice.conversion);
    CHECK(!conversion.target.empty(), "gives no other architecture");
    keys["arch"] = conversion.target;
    if (conversion.target == "gqa") {
        keys["n_kv_head"] = groups_of(source, choice);
    } else {
        check_skipv1(source, choice.conversion);
        keys["value_source"] = "skip";
        keys["skip_layer"] = 1;
        keys["skip_ratio"] = 0.5;
        keys["inject"] = "concat";
        keys["skip_res"] = false;
    }
    return parse_model_config(keys, "");
}

std::shared_ptr<const WeightSource> uptrain(std::shared_ptr<const WeightSource> source,
                                            const UptrainChoice& choice) {
    Transformation transformation{"uptrained", choice.conversion, {}, {}};
    try {
        transformation.config = uptrained_config(source->config(), choice);
    } catch (const UserError& error) {
        throw UserError(fmt::format("{}: {}", source->title(), error.what()));
    }
    if (find_conversion(choice.conversion).target == "gqa")
        transformation.tensor = [groups = transformation.config.n_kv_head](
                                    const WeightSource& weights, const ParameterSpec& spec) {
            return grouped(weights, spec, groups);
        };
    else
        transformation.tensor =
            HalvedValues(choice.conversion, halved_layers(transformation.config));
    return std::make_shared<const TransformedWeights>(std::move(source), std::move(transformation));
}

std::shared_ptr<const WeightSource> uptrain_to(std::shared_ptr<const WeightSource> source,
                                               const std::string& conversion,
                                               const ModelConfig& wanted) {
    CHECK(find_conversion(conversion).target == "skipv1", "one of SkipV1Former's");
    Transformation transformation{"uptrained", conversion, {}, {}};
    std::set<int> layers;
    try {
        layers = layers_to_convert(source->config(), conversion, wanted);
    } catch (const UserError& error) {
        throw UserError(fmt::format("{}: {}", source->title(), error.what()));
    }
    const std::shared_ptr<const WeightSource> rewired = rewire(source, wanted);
    transformation.config = rewired->config();
    transformation.tensor = [given = std::move(source),
                             halved = HalvedValues(conversion, std::move(layers))](
                                const WeightSource&, const ParameterSpec& spec) mutable {
        return halved(*given, spec);
    };
    return std::make_shared<const TransformedWeights>(rewired, std::move(transformation));
}

void check_uptrain_to(const ModelConfig& source, const std::string& conversion,
                      const ModelConfig& wanted) {
    layers_to_convert(source, conversion, wanted);
    check_rewire(source, wanted);
}

}  // namespace headroom
