#include "core/account/match_space.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/enum_names.h"
#include "core/config/job_json.h"
#include "core/config/schema.h"

namespace headroom {
namespace {

using nlohmann::json;

int64_t largest_value(MatchKey key) {
    const Field* field = find_field(fmt::format("model.{}", name_of(key)));
    CHECK(field != nullptr && field->maximum, "a size with a maximum");
    return static_cast<int64_t>(*field->maximum);
}

int64_t value_of(const ModelConfig& model, MatchKey key) {
    switch (key) {
        case MatchKey::kDff:
            return model.d_ff;
        case MatchKey::kDModel:
            return model.d_model;
        case MatchKey::kNLayer:
            return model.n_layer;
        case MatchKey::kNHead:
            return model.n_head;
        case MatchKey::kNKvHead:
            return model.n_kv_head;
    }
    CHECK(false, "unknown key");
}

bool heads_tile(const ModelConfig& model) {
    return model.n_head * model.d_head == model.d_model;
}

/// Query heads for each key/value head; a single key/value head stays one whatever the heads.
int64_t group_of(const ModelConfig& model) {
    return model.n_kv_head == 1 ? 1 : model.n_head / model.n_kv_head;
}

/// width * d_model / old_d_model, rounded, at least 1.
int64_t in_proportion(int64_t width, int64_t d_model, int64_t old_d_model) {
    return std::max<int64_t>(1, (2 * width * d_model + old_d_model) / (2 * old_d_model));
}

/// The map that takes or gives slices of the residual stream, so that heads must tile it; "" if
/// there is none.
std::string tiling_map(const ModelConfig& model) {
    const auto other = [](const char* key, const auto& maps) {
        for (const auto map : maps.entries())
            if (spelling(map) != "linear") return fmt::format("{} = {}", key, spelling(map));
        return std::string();
    };
    for (const std::string& map : {other("query", model.query), other("key", model.key),
                                   other("value", model.value), other("out_proj", model.out_proj)})
        if (!map.empty()) return map;
    return "";
}

/// A key that is given for each layer by itself; "" if there is none.
std::string list_by_layer(const ModelConfig& model) {
    const json keys = to_json(model);
    for (const Field& field : job_schema())
        if (field.per_layer && keys.at(field.key()).is_array()) return field.key();
    return "";
}

}  // namespace

MatchSpace::MatchSpace(const json& document, MatchKey key, int64_t multiple_of)
    : document_(document), now_(parse_job(document, "").model), key_(key) {
    step_ = std::lcm(natural_step(), multiple_of);
    size_ = largest_value(key) / step_;
    if (key == MatchKey::kNKvHead) list_divisors(multiple_of);
}

void MatchSpace::list_divisors(int64_t multiple_of) {
    for (int64_t n = multiple_of; n <= now_.n_head; n += multiple_of)
        if (now_.n_head % n == 0) divisors_.push_back(n);
    size_ = static_cast<int64_t>(divisors_.size());
}

int64_t MatchSpace::value(int64_t index) const {
    return divisors_.empty() ? (index + 1) * step_ : divisors_[static_cast<size_t>(index)];
}

int64_t MatchSpace::natural_step() const {
    const bool rotates_heads = now_.pos == Positions::kRope && !now_.mla;
    if (key_ == MatchKey::kDModel && heads_tile(now_)) return now_.n_head * (rotates_heads ? 2 : 1);
    if (key_ != MatchKey::kNHead) return 1;
    const WiringChoice& choice = now_.wiring_choice;
    const bool by_half = choice.value_source == "skip" && choice.inject != "concat";
    return group_of(now_) * (by_half ? 2 : 1);
}

std::string MatchSpace::refusal() const {
    const bool in_table = key_ != MatchKey::kDff && key_ != MatchKey::kDModel;
    if (in_table && now_.custom_wiring)
        return fmt::format("model.wiring is a table for {} layers and {} key/value heads",
                           now_.n_layer, now_.n_kv_head);
    if (const std::string list = list_by_layer(now_); key_ == MatchKey::kNLayer && !list.empty())
        return fmt::format("model.{} is a list for {} layers", list, now_.n_layer);
    if (const std::string map = tiling_map(now_); key_ == MatchKey::kNHead && !map.empty())
        return fmt::format("model.{} needs n_head * d_head = d_model = {}", map, now_.d_model);
    if (key_ == MatchKey::kNKvHead && now_.mla)
        return "latent attention has no key/value heads of its own";
    if (size_ == 0)
        return fmt::format("no multiple of {} is a value of model.{}", step_, name_of(key_));
    return "";
}

int64_t MatchSpace::start() const {
    const int64_t now = value_of(now_, key_);
    if (divisors_.empty()) return std::clamp<int64_t>(now / step_ - 1, 0, size_ - 1);
    const auto after = std::upper_bound(divisors_.begin(), divisors_.end(), now);
    return std::max<int64_t>(0, after - divisors_.begin() - 1);
}

json MatchSpace::widths_at(int64_t d_model) const {
    json keys{{"d_model", d_model}, {"d_ff", in_proportion(now_.d_ff, d_model, now_.d_model)}};
    const int64_t d_head = heads_tile(now_) ? d_model / now_.n_head : now_.d_head;
    keys["d_head"] = d_head;
    if (now_.query.has(QueryMap::kNonlinear))
        keys["nq_rank"] = in_proportion(now_.nq_rank, d_model, now_.d_model);
    if (now_.value.has(ValueMap::kNonlinear))
        keys["nv_rank"] = in_proportion(now_.nv_rank, d_model, now_.d_model);
    if (now_.mla) {
        const auto width = [&](int64_t old) { return old == now_.d_head ? d_head : old; };
        keys["mla"] = {{"d_c", now_.mla->d_c},
                       {"d_r", now_.mla->d_r},
                       {"d_nope", width(now_.mla->d_nope)},
                       {"d_v", width(now_.mla->d_v)}};
    }
    return keys;
}

json MatchSpace::keys_at(int64_t value) const {
    if (key_ == MatchKey::kDModel) return widths_at(value);
    if (key_ != MatchKey::kNHead) return {{std::string(name_of(key_)), value}};
    const bool one = now_.n_kv_head == 1 && now_.n_head > 1;
    return {{"n_head", value},
            {"n_kv_head", one ? 1 : value / group_of(now_)},
            {"d_head", now_.d_head}};
}

ModelConfig MatchSpace::model_with(const json& keys) const {
    json document = document_;
    document["model"].update(keys);
    return parse_job(document, "").model;
}

std::optional<ModelConfig> MatchSpace::model(int64_t index) const {
    try {
        return model_with(keys_at(value(index)));
    } catch (const UserError&) {
        return std::nullopt;
    }
}

std::vector<std::pair<std::string, std::string>> MatchSpace::settings(int64_t index) const {
    const json all = keys_at(value(index));
    const ModelConfig wanted = model_with(all);
    const std::string main(name_of(key_));
    json chosen{{main, all.at(main)}};
    // What the document's own defaults do not bring along is set too.
    for (const auto& [key, value] : all.items()) {
        if (chosen.contains(key)) continue;
        try {
            if (to_json(model_with(chosen)).at(key) == value) continue;
        } catch (const UserError&) {
            // Without this key the sizes do not fit together.
        }
        chosen[key] = value;
    }
    if (!(model_with(chosen) == wanted)) chosen = all;
    std::vector<std::pair<std::string, std::string>> settings{{"model." + main, all[main].dump()}};
    for (const auto& [key, value] : chosen.items())
        if (key != main) settings.emplace_back("model." + key, value.dump());
    return settings;
}

}  // namespace headroom
