#include "panels/compare/compare_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/account/compare_models.h"
#include "core/config/job_keys.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

std::string signed_integer(int64_t value) {
    return value == 0 ? "0" : (value > 0 ? "+" : "−") + format_integer(std::abs(value));
}

/// "−3,244,032 (−2.61 %)"
std::string difference_text(const CountPair& pair) {
    const int64_t difference = pair.difference();
    if (difference == 0) return "equal";
    std::string text = signed_integer(difference);
    if (pair.baseline != 0)
        text += fmt::format(
            " ({}{:.2f} %)", difference > 0 ? "+" : "−",
            100.0 * static_cast<double>(std::abs(difference)) / static_cast<double>(pair.baseline));
    return text;
}

CompareRow row_of(std::string name, const CountPair& pair) {
    return {std::move(name),       format_integer(pair.model), format_integer(pair.baseline),
            difference_text(pair), pair.difference() != 0,     ""};
}

CompareSection changed_keys(const ModelDifference& d) {
    CompareSection section{"Changed keys of the model", {}};
    for (const ChangedKey& key : d.keys)
        section.rows.push_back({key.key, key.model, key.baseline,
                                key.implied ? "follows from the others" : "", !key.implied,
                                "model." + key.key});
    if (section.rows.empty()) section.rows.push_back({"none", "", "", "", false, ""});
    return section;
}

/// Data, training, device and seed: what the numbers below say nothing of, and losses depend on.
CompareSection changed_training(const Job& model, const Job& baseline) {
    CompareSection section{"Changed keys of the training", {}};
    for (const KeyDifference& key : key_differences(baseline, model)) {
        const std::string& path = key.field->path;
        if (path.starts_with("model.") || path == "name") continue;
        section.rows.push_back({path, key.after, key.before, "", true, path});
    }
    if (section.rows.empty()) section.rows.push_back({"none", "", "", "", false, ""});
    return section;
}

CompareSection parameters(const ModelDifference& d) {
    CompareSection section{"Parameters", {}};
    section.rows.push_back(row_of("total", d.params_total));
    if (d.params_active != d.params_total)
        section.rows.push_back(row_of("active per token", d.params_active));
    section.rows.push_back(row_of("non-embedding", d.params_non_embedding));
    for (const RoleDifference& role : d.roles)
        section.rows.push_back(row_of(role.role, role.params));
    return section;
}

/// "value −294,912, mlp +512"
std::string moved_roles(const std::vector<RoleDifference>& roles) {
    std::vector<std::string> parts;
    for (const RoleDifference& role : roles)
        parts.push_back(role.role + " " + signed_integer(role.params.difference()));
    return fmt::format("{}", fmt::join(parts, ", "));
}

bool same_layer(const LayerDifference& a, const LayerDifference& b) {
    return a.params == b.params && a.own_key_heads == b.own_key_heads &&
           a.own_value_heads == b.own_value_heads && a.cache_numbers == b.cache_numbers &&
           moved_roles(a.roles) == moved_roles(b.roles);
}

/// Equal layers in sequence as one line each of parameters and of cache.
void add_layers(const ModelDifference& d, std::vector<CompareSection>& sections) {
    CompareSection params{"Parameters of each layer", {}};
    CompareSection cache{"Cached numbers of each layer, per token", {}};
    for (size_t first = 0; first < d.layers.size();) {
        const LayerDifference& layer = d.layers[first];
        size_t end = first + 1;
        while (end < d.layers.size() && same_layer(layer, d.layers[end])) ++end;
        std::vector<int> layers;
        for (size_t l = first; l < end; ++l) layers.push_back(static_cast<int>(l));
        const std::string name = name_layers(layers);
        params.rows.push_back(row_of(name, layer.params));
        if (!layer.roles.empty()) params.rows.back().difference = moved_roles(layer.roles);
        cache.rows.push_back(row_of(name, layer.cache_numbers));
        cache.rows.back().hint =
            fmt::format("own key heads {} and {}, own value heads {} and {}",
                        layer.own_key_heads.model, layer.own_key_heads.baseline,
                        layer.own_value_heads.model, layer.own_value_heads.baseline);
        first = end;
    }
    if (!d.outside_roles.empty())
        params.rows.push_back(
            {"outside the layers", "", "", moved_roles(d.outside_roles), true, ""});
    sections.push_back(std::move(params));
    sections.push_back(std::move(cache));
}

/// Both models with a vocabulary; what had to be assumed for it, "" if nothing.
std::string settle_vocabularies(ModelConfig& a, ModelConfig& b) {
    if (a.vocab_size > 0 && b.vocab_size > 0) return "";
    const bool neither = a.vocab_size == 0 && b.vocab_size == 0;
    const int64_t size = neither ? kByteVocabulary : std::max(a.vocab_size, b.vocab_size);
    for (ModelConfig* model : {&a, &b})
        if (model->vocab_size == 0) model->vocab_size = size;
    return fmt::format("The data have not told {} vocabulary yet: counted with {}.",
                       neither ? "the" : "one model's", format_integer(size));
}

}  // namespace

CompareView build_compare(ComparedModel model, ComparedModel baseline, int64_t seq_len) {
    CompareView view;
    view.model = build_architecture(model.model, model.name);
    view.baseline = build_architecture(baseline.model, baseline.name);
    view.note = settle_vocabularies(model.model, baseline.model);
    const ModelDifference d = compare_models(model.model, baseline.model, {.seq_len = seq_len});
    view.model_name = std::move(model.name);
    view.baseline_name = std::move(baseline.name);
    view.sections.push_back(changed_keys(d));
    if (model.job && baseline.job)
        view.sections.push_back(changed_training(*model.job, *baseline.job));
    view.sections.push_back(parameters(d));
    view.sections.push_back(
        {fmt::format("FLOPs per token, over {} tokens", d.seq_len),
         {row_of("training", d.flops_training), row_of("forward", d.flops_forward)}});
    view.sections.push_back(
        {"KV cache per token",
         {row_of("bytes in bfloat16", d.cache_bytes), row_of("numbers", d.cache_numbers)}});
    add_layers(d, view.sections);
    return view;
}

}  // namespace headroom
