#include "core/surgery/uptrain_model.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/number_encoder.h"
#include "core/config/job_json.h"

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
    if (source.value == Projection::kIdentity)
        refuse("model.value = identity: there is no W_V to make smaller");
}

void check_skipv1(const ModelConfig& source, UptrainMethod method) {
    if (source.n_head % 2 != 0)
        throw UserError(fmt::format("model.n_head = {} is odd", source.n_head),
                        "half of the value heads are replaced: the number must be even");
    if (source.n_layer < 2)
        throw UserError("model.n_layer = 1: only layers after the first are converted",
                        "give a model of two layers or more");
    const bool needs_output = method == UptrainMethod::kMeanVo || method == UptrainMethod::kTopVo ||
                              method == UptrainMethod::kSvd;
    if (needs_output && source.out_proj == Projection::kIdentity)
        throw UserError(fmt::format("model.out_proj = identity: {} changes a W_O", name_of(method)),
                        "use mean_v or top_v");
}

int64_t groups_of(const ModelConfig& source, const UptrainChoice& choice) {
    const int64_t groups = choice.n_kv_head > 0 ? choice.n_kv_head : source.n_head / 2;
    if (source.key == Projection::kIdentity)
        refuse("model.key = identity: there is no W_K to average");
    if (groups < 1 || groups >= source.n_head || source.n_head % groups != 0)
        throw UserError(fmt::format("n_kv_head = {} does not make groups of the {} heads", groups,
                                    source.n_head),
                        "give a divisor of n_head that is smaller than it");
    return groups;
}

}  // namespace

ModelConfig uptrained_config(const ModelConfig& source, const UptrainChoice& choice) {
    check_multi_head(source);
    nlohmann::json keys = to_json(source);
    keys.erase("wiring");
    if (choice.method == UptrainMethod::kMeanKv) {
        keys["arch"] = "gqa";
        keys["n_kv_head"] = groups_of(source, choice);
    } else {
        check_skipv1(source, choice.method);
        keys["arch"] = "skipv1";
        keys["value_source"] = "skip";
        keys["skip_layer"] = 1;
        keys["skip_ratio"] = 0.5;
        keys["inject"] = "concat";
        keys["skip_res"] = false;
    }
    return parse_model_config(keys, "");
}

UptrainedWeights::UptrainedWeights(const ModelWeights& source, const UptrainChoice& choice)
    : source_(source), choice_(choice) {
    try {
        config_ = uptrained_config(source.config(), choice);
    } catch (const UserError& error) {
        throw UserError(fmt::format("{}: {}", source.path().string(), error.what()));
    }
    specs_ = parameter_specs(config_);
}

CheckpointMetadata UptrainedWeights::metadata() const {
    CheckpointMetadata metadata = source_.checkpoint_metadata();
    metadata.config_json = to_json(config_).dump();
    metadata.other["uptrained_from"] = source_.path().string();
    metadata.other["uptrained_with"] = name_of(choice_.method);
    if (metadata.step) metadata.other["uptrained_step"] = fmt::to_string(*metadata.step);
    if (metadata.tokens) metadata.other["uptrained_tokens"] = fmt::to_string(*metadata.tokens);
    metadata.step.reset();
    metadata.tokens.reset();
    return metadata;
}

bool UptrainedWeights::has_own_half(int layer) const {
    return choice_.method != UptrainMethod::kMeanKv && layer > 0;
}

Matrix UptrainedWeights::matrix(int layer, const char* name) const {
    const std::string full = fmt::format("h.{}.attn.{}", layer, name);
    for (const ParameterSpec& spec : source_.specs())
        if (spec.name == full)
            return {spec.shape.size() == 1 ? 1 : spec.shape.front(), spec.shape.back(),
                    source_.read<double>(full)};
    return {};
}

/// The converted values and output of the layer; kept, since its tensors follow each other.
const Matrix& UptrainedWeights::converted(const ParameterSpec& spec) {
    if (spec.layer != layer_) {
        const ValueOutput before{matrix(spec.layer, "v.weight"), matrix(spec.layer, "v.bias"),
                                 matrix(spec.layer, "o.weight"), matrix(spec.layer, "o.bias")};
        values_ = uptrain_values(choice_.method, before, config_.n_head);
        layer_ = spec.layer;
    }
    if (spec.name.ends_with("v.weight")) return values_.v;
    if (spec.name.ends_with("v.bias")) return values_.v_bias;
    return spec.name.ends_with("o.weight") ? values_.o : values_.o_bias;
}

std::vector<double> UptrainedWeights::read_grouped(const ParameterSpec& spec) const {
    const std::string name = spec.name.substr(spec.name.rfind('.', spec.name.rfind('.') - 1) + 1);
    return mean_of_head_groups(matrix(spec.layer, name.c_str()), config_.n_head, config_.n_kv_head)
        .values;
}

std::vector<double> UptrainedWeights::read(const std::string& name) {
    const auto spec = std::find_if(specs_.begin(), specs_.end(),
                                   [&](const ParameterSpec& s) { return s.name == name; });
    CHECK(spec != specs_.end(), "not a tensor of the model: " + name);
    const auto is_one_of = [&](std::initializer_list<const char*> letters) {
        return std::any_of(letters.begin(), letters.end(), [&](const char* letter) {
            const std::string stem = fmt::format(".attn.{}.", letter);
            return name.ends_with(stem + "weight") || name.ends_with(stem + "bias");
        });
    };
    if (choice_.method == UptrainMethod::kMeanKv && is_one_of({"k", "v"}))
        return read_grouped(*spec);
    if (has_own_half(spec->layer) && is_one_of({"v", "o"})) return converted(*spec).values;
    return source_.read<double>(name);
}

std::vector<std::string> save_uptrained(UptrainedWeights& weights,
                                        const std::filesystem::path& path,
                                        const std::function<void(double share)>& progress) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw UserError(fmt::format("{} is a folder", path.string()),
                        "give the name of a file, such as model.safetensors");
    std::vector<TensorPlan> plan;
    for (const ParameterSpec& spec : weights.specs())
        plan.push_back({spec.name, weights.type(spec.name), spec.shape});
    NumberEncoder encoder;
    std::vector<std::string> warnings;
    size_t done = 0;
    write_safetensors(path, checkpoint_entries(weights.metadata()), plan, [&](size_t i) {
        if (progress) progress(static_cast<double>(done++) / static_cast<double>(plan.size()));
        const auto bytes = encoder.encode(weights.read(plan[i].name), plan[i].type);
        if (encoder.not_finite() + encoder.overflown() > 0)
            warnings.push_back(fmt::format("tensor {} has {} numbers that are not finite",
                                           plan[i].name,
                                           encoder.not_finite() + encoder.overflown()));
        return bytes;
    });
    return warnings;
}

}  // namespace headroom
