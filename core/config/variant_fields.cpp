#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/key_error.h"
#include "core/base/nearest.h"
#include "core/config/per_layer_binding.h"
#include "core/wiring/source_rules.h"
#include "core/wiring/wiring_json.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr char kAttention[] = "Attention";
constexpr char kSharing[] = "Sharing across layers";
constexpr char kOther[] = "Other variants";
constexpr int64_t kLargestWidth = 1 << 20;

/// Of a key that may differ by layer.
const json& in_first_layer(const json& value) {
    return value.is_array() ? value.front() : value;
}

double default_attn_scale(OpenKeys& keys) {
    const json& mla = keys.at("mla");
    const int64_t width = mla.is_null()
                              ? keys.whole("d_head")
                              : mla.at("d_nope").get<int64_t>() + mla.at("d_r").get<int64_t>();
    const json &query = in_first_layer(keys.at("query")), &key = in_first_layer(keys.at("key"));
    const bool halved = query == "identity" || query == "nonlinear" || key == "identity";
    return (halved ? 0.5 : 1.0) / std::sqrt(static_cast<double>(width));
}

/// The given part of model.mla with the defaults of the rest.
json completed_mla(const json& given, OpenKeys& keys) {
    if (given.is_null()) return given;
    const int64_t d_head = keys.whole("d_head");
    json mla{
        {"d_c", MlaConfig{}.d_c}, {"d_r", MlaConfig{}.d_r}, {"d_nope", d_head}, {"d_v", d_head}};
    const std::vector<std::string> known{"d_c", "d_nope", "d_r", "d_v"};
    for (const auto& [key, value] : given.items()) {
        if (!mla.contains(key))
            throw KeyError(UserError(fmt::format("unknown key {} in model.mla{}", shown(key),
                                                 suggestion(key, known))),
                           {"model.mla"});
        const bool whole = value.is_number_integer() &&
                           (!value.is_number_unsigned() || value.get<uint64_t>() <= kLargestWidth);
        if (!whole || value.get<int64_t>() < (key == "d_r" ? 0 : 1) ||
            value.get<int64_t>() > kLargestWidth)
            throw KeyError(
                UserError(fmt::format("model.mla.{} = {} is not a width", key, shown(value)),
                          fmt::format("give a whole number up to {}", kLargestWidth)),
                {"model.mla"});
        mla[key] = value;
    }
    return mla;
}

void add_maps(std::vector<BoundField>& fields) {
    fields.push_back(
        bind_per_layer(&ModelConfig::query, {.path = "model.query",
                                             .help = "How queries come from the normalised input",
                                             .default_text = "\"linear\"; identity for wq_identity",
                                             .group = kAttention}));
    fields.push_back(bind_per_layer(&ModelConfig::key, {.path = "model.key",
                                                        .help = "How keys come from it",
                                                        .group = kAttention,
                                                        .advanced = true}));
    fields.push_back(bind_per_layer(&ModelConfig::value, {.path = "model.value",
                                                          .help = "How values come from it",
                                                          .group = kAttention,
                                                          .advanced = true}));
    fields.push_back(bind_per_layer(&ModelConfig::out_proj,
                                    {.path = "model.out_proj",
                                     .help = "How the heads' outputs enter the residual stream",
                                     .group = kAttention,
                                     .advanced = true}));
    fields.push_back(with_default(
        bind_model(&ModelConfig::attn_scale, {.path = "model.attn_scale",
                                              .help = "Factor on the raw scores",
                                              .minimum = 0,
                                              .maximum = 1e6,
                                              .open_minimum = true,
                                              .group = kAttention,
                                              .advanced = true}),
        "1 / sqrt(width of a query head), halved when query is identity or nonlinear or key is "
        "identity",
        default_attn_scale));
    fields.push_back(
        bind_model(&ModelConfig::qk_norm, {.path = "model.qk_norm",
                                           .help = "RMSNorm on every query and key head",
                                           .group = kAttention,
                                           .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::qk_norm_eps, {.path = "model.qk_norm_eps",
                                                            .help = "Its epsilon",
                                                            .minimum = 0,
                                                            .maximum = 1,
                                                            .open_minimum = true,
                                                            .group = kAttention,
                                                            .advanced = true}));
    const auto rank = [&](auto member, const std::string& path, const std::string& help) {
        fields.push_back(with_default(bind_model(member, {.path = path,
                                                          .help = help,
                                                          .unit = "numbers",
                                                          .minimum = 1,
                                                          .maximum = kLargestWidth,
                                                          .group = kAttention,
                                                          .advanced = true}),
                                      "d_model / 2", [](OpenKeys& keys) {
                                          return std::max<int64_t>(1, keys.whole("d_model") / 2);
                                      }));
    };
    rank(&ModelConfig::nq_rank, "model.nq_rank", "Hidden width of the nonlinear query");
    rank(&ModelConfig::nv_rank, "model.nv_rank", "Hidden width of the nonlinear value");
    fields.back().field.newer = true;
}

/// A number, or the word "learned".
BoundField res_lambda_field() {
    Field field{.path = "model.res_lambda",
                .help =
                    "ResFormer: share of the layer's own values; \"learned\" = one scalar per "
                    "layer",
                .type = FieldType::kNumber,
                .choices = {"learned"},
                .minimum = -100,
                .maximum = 100,
                .group = kSharing,
                .advanced = true};
    return {std::move(field),
            [](const Job& job) {
                const WiringChoice& choice = job.model.wiring_choice;
                return choice.res_lambda_learned ? json("learned") : json(choice.res_lambda);
            },
            [](Job& job, const json& value) {
                WiringChoice& choice = job.model.wiring_choice;
                choice.res_lambda_learned = value.is_string();
                choice.res_lambda =
                    value.is_string() ? WiringChoice{}.res_lambda : value.get<double>();
            }};
}

/// The reader builds the table itself, once the sizes are known.
BoundField wiring_field() {
    Field field{.path = "model.wiring",
                .help =
                    "A source table of your own in place of value_source and key_source: "
                    "{\"keys\": [...], \"values\": [...]} (see core/wiring/wiring_json.h)",
                .type = FieldType::kObject,
                .default_text = "null: built from the keys above",
                .group = kSharing,
                .advanced = true};
    return {
        std::move(field),
        [](const Job& job) { return job.model.custom_wiring ? to_json(job.model.wiring) : json(); },
        [](Job&, const json&) {}};
}

void add_skip(std::vector<BoundField>& fields) {
    fields.push_back(bind_wiring(&WiringChoice::skip_layer,
                                 {.path = "model.skip_layer",
                                  .help = "skip: source layer, counted from 1; 0 injects nothing "
                                          "(SkipV0)",
                                  .minimum = 0,
                                  .maximum = 1024,
                                  .group = kSharing,
                                  .advanced = true}));
    fields.push_back(bind_wiring(&WiringChoice::skip_ratio,
                                 {.path = "model.skip_ratio",
                                  .help = "skip: share of the key/value heads that come from the "
                                          "source layer, rounded down to whole heads",
                                  .minimum = 0,
                                  .maximum = 1,
                                  .group = kSharing}));
    fields.push_back(bind_wiring(&WiringChoice::inject,
                                 {.path = "model.inject",
                                  .help = "skip: which of the source layer's value heads are "
                                          "injected",
                                  .choices = {"concat", "pool", "dynamic", "oddeven"},
                                  .group = kSharing,
                                  .advanced = true}));
    fields.push_back(bind_wiring(&WiringChoice::skip_res,
                                 {.path = "model.skip_res",
                                  .help = "skip: own value heads are mixed with the source "
                                          "layer's by res_lambda",
                                  .group = kSharing,
                                  .advanced = true}));
}

void add_sources(std::vector<BoundField>& fields) {
    fields.push_back(
        bind_wiring(&WiringChoice::value_source,
                    {.path = "model.value_source",
                     .help = "Whose values the heads read: " + source_rule_help(KvTable::kValues),
                     .choices = source_rule_names(KvTable::kValues),
                     .group = kSharing}));
    fields.push_back(
        bind_wiring(&WiringChoice::key_source, {.path = "model.key_source",
                                                .help = "The same for keys",
                                                .choices = source_rule_names(KvTable::kKeys),
                                                .group = kSharing}));
    add_skip(fields);
    fields.push_back(res_lambda_field());
    fields.push_back(bind_wiring(&WiringChoice::cla_factor,
                                 {.path = "model.cla_factor",
                                  .help = "cla: layers that share the keys or values of their "
                                          "first",
                                  .unit = "layers",
                                  .minimum = 1,
                                  .maximum = 1024,
                                  .group = kSharing,
                                  .advanced = true}));
    fields.push_back(bind_wiring(&WiringChoice::yoco_split,
                                 {.path = "model.yoco_split",
                                  .help = "yoco: layers that own their keys and values; 0 = half",
                                  .default_text = "n_layer / 2",
                                  .unit = "layers",
                                  .minimum = 0,
                                  .maximum = 1024,
                                  .group = kSharing,
                                  .advanced = true}));
    fields.back().complete = [](const json& given, OpenKeys& keys) {
        const auto n_layer = static_cast<int>(keys.whole("n_layer"));
        return given == 0 ? json(default_yoco_split(n_layer)) : given;
    };
    fields.push_back(wiring_field());
}

BoundField mla_field() {
    Field field{.path = "model.mla",
                .help =
                    "Latent attention: {\"d_c\", \"d_r\", \"d_nope\", \"d_v\"}, widths of the "
                    "latent, the rotary key and a head's key and value",
                .type = FieldType::kObject,
                .default_text = fmt::format("null; {{\"d_c\": {}, \"d_r\": {}, \"d_nope\": d_head, "
                                            "\"d_v\": d_head}} for mla",
                                            MlaConfig{}.d_c, MlaConfig{}.d_r),
                .group = kOther,
                .advanced = true};
    return {std::move(field),
            [](const Job& job) {
                if (!job.model.mla) return json();
                const MlaConfig& mla = *job.model.mla;
                return json{
                    {"d_c", mla.d_c}, {"d_r", mla.d_r}, {"d_nope", mla.d_nope}, {"d_v", mla.d_v}};
            },
            [](Job& job, const json& value) {
                job.model.mla.reset();
                if (value.is_null()) return;
                job.model.mla =
                    MlaConfig{value.at("d_c").get<int64_t>(), value.at("d_r").get<int64_t>(),
                              value.at("d_nope").get<int64_t>(), value.at("d_v").get<int64_t>()};
            },
            {},
            completed_mla};
}

void add_others(std::vector<BoundField>& fields) {
    fields.push_back(bind_model(&ModelConfig::dense,
                                {.path = "model.dense",
                                 .help = "DenseFormer: every block's output is a learned average "
                                         "of all before it",
                                 .default_text = "false; true for denseformer",
                                 .group = kOther,
                                 .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::dwa_dilation,
                                {.path = "model.dwa_dilation",
                                 .help = "DenseFormer: only every k-th block is averaged",
                                 .minimum = 1,
                                 .maximum = 1024,
                                 .group = kOther,
                                 .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::dwa_period,
                                {.path = "model.dwa_period",
                                 .help = "DenseFormer: averages stand after every p-th block",
                                 .minimum = 1,
                                 .maximum = 1024,
                                 .group = kOther,
                                 .advanced = true}));
    fields.push_back(bind_model(&ModelConfig::hyper,
                                {.path = "model.hyper",
                                 .help = "Hyper-connections: several residual streams with learned "
                                         "mixing (hc), doubly stochastic (mhc)",
                                 .group = kOther,
                                 .advanced = true}));
    fields.push_back(with_default(
        bind_model(&ModelConfig::n_stream, {.path = "model.n_stream",
                                            .help = "Hyper-connections: number of residual streams",
                                            .unit = "streams",
                                            .minimum = 1,
                                            .maximum = 64,
                                            .group = kOther,
                                            .advanced = true}),
        "1; 4 for hc and mhc", [](OpenKeys& keys) { return keys.at("hyper") == "none" ? 1 : 4; }));
    fields.push_back(mla_field());
}

/// A table of the job's own is in place of all rules.
bool reads_by(const Job& job, std::string_view rule) {
    const WiringChoice& choice = job.model.wiring_choice;
    return !job.model.custom_wiring && (choice.value_source == rule || choice.key_source == rule);
}

/// Layer 0 injects nothing.
bool skips_values(const Job& job) {
    const WiringChoice& choice = job.model.wiring_choice;
    return !job.model.custom_wiring && choice.value_source == "skip" && choice.skip_layer > 0;
}

bool keeps_skipped_values(const Job& job) {
    return skips_values(job) && job.model.wiring_choice.skip_ratio < 1;
}

bool mixes_values(const Job& job) {
    const WiringChoice& choice = job.model.wiring_choice;
    return (!job.model.custom_wiring && choice.value_source == "res") ||
           (keeps_skipped_values(job) && choice.skip_res);
}

/// In a layer that projects any.
bool has_nonlinear_values(const Job& job) {
    const ModelConfig& model = job.model;
    for (size_t layer = 0; layer < model.wiring.own_value_heads.size(); ++layer)
        if (model.wiring.own_value_heads[layer] > 0 &&
            model.value.at(static_cast<int64_t>(layer)) == ValueMap::kNonlinear)
            return true;
    return false;
}

void add_sharing_conditions(std::vector<BoundField>& fields) {
    const auto reads = [](const char* rule) {
        return [rule](const Job& job) { return reads_by(job, rule); };
    };
    count_when(fields, {"skip_layer", "skip_ratio"},
               {"value_source or key_source = skip", reads("skip")});
    count_when(fields, {"value_source", "key_source"},
               {"wiring = null", [](const Job& job) { return !job.model.custom_wiring; }});
    count_when(fields, {"inject"}, {"value_source = skip and skip_layer > 0", skips_values});
    count_when(fields, {"skip_res"},
               {"value_source = skip, skip_layer > 0 and skip_ratio < 1", keeps_skipped_values});
    count_when(fields, {"res_lambda"}, {"value_source = res or skip_res", mixes_values});
    count_when(fields, {"cla_factor"}, {"value_source or key_source = cla", reads("cla")});
    count_when(fields, {"yoco_split"}, {"value_source or key_source = yoco", reads("yoco")});
    set_concern(fields,
                {"value_source", "key_source", "skip_layer", "skip_ratio", "inject", "skip_res",
                 "res_lambda", "cla_factor", "yoco_split", "wiring"},
                Concern::kWiring);
}

void add_conditions(std::vector<BoundField>& fields) {
    add_sharing_conditions(fields);
    const auto normed = [](const Job& job) { return job.model.qk_norm; };
    const auto dense = [](const Job& job) { return job.model.dense; };
    const auto hyper = [](const Job& job) { return job.model.hyper != HyperKind::kNone; };
    const auto queries = [](const Job& job) { return job.model.query.has(QueryMap::kNonlinear); };
    count_when(fields, {"qk_norm_eps"}, {"qk_norm = true", normed});
    count_when(fields, {"nq_rank"}, {"query = nonlinear", queries});
    count_when(fields, {"nv_rank"},
               {"value = nonlinear where values are projected", has_nonlinear_values});
    count_when(fields, {"dwa_dilation", "dwa_period"}, {"dense = true", dense});
    count_when(fields, {"n_stream"}, {"hyper = hc or mhc", hyper});
}

}  // namespace

std::vector<BoundField> variant_fields() {
    std::vector<BoundField> fields;
    add_maps(fields);
    add_sources(fields);
    add_others(fields);
    add_conditions(fields);
    return fields;
}

}  // namespace headroom
