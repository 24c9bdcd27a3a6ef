#include <nlohmann/json.hpp>

#include "core/config/per_layer_binding.h"
#include "core/wiring/source_rules.h"
#include "core/wiring/wiring_json.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr char kAttention[] = "Attention";
constexpr char kSharing[] = "Sharing across layers";
constexpr char kOther[] = "Other variants";

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
    fields.push_back(
        bind_model(&ModelConfig::attn_scale,
                   {.path = "model.attn_scale",
                    .help = "Factor on the raw scores",
                    .default_text = "1 / sqrt(width of a query head), halved when query is "
                                    "identity or nonlinear or key is identity",
                    .minimum = 0,
                    .maximum = 1e6,
                    .open_minimum = true,
                    .group = kAttention,
                    .advanced = true}));
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
    fields.push_back(
        bind_model(&ModelConfig::nq_rank, {.path = "model.nq_rank",
                                           .help = "Hidden width of the nonlinear query",
                                           .default_text = "d_model / 2",
                                           .unit = "numbers",
                                           .minimum = 1,
                                           .maximum = 1 << 20,
                                           .group = kAttention,
                                           .advanced = true}));
    fields.push_back(
        bind_model(&ModelConfig::nv_rank, {.path = "model.nv_rank",
                                           .help = "Hidden width of the nonlinear value",
                                           .default_text = "d_model / 2",
                                           .unit = "numbers",
                                           .minimum = 1,
                                           .maximum = 1 << 20,
                                           .group = kAttention,
                                           .advanced = true,
                                           .newer = true}));
}

/// A number, or the word "learned".
BoundField res_lambda_field() {
    Field field{.path = "model.res_lambda",
                .help =
                    "ResFormer: share of the layer's own values; \"learned\" = one scalar per "
                    "layer",
                .type = FieldType::kNumber,
                .default_text = "0.5",
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
                choice.res_lambda = value.is_string() ? 0.5 : value.get<double>();
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
    fields.push_back(wiring_field());
}

BoundField mla_field() {
    Field field{.path = "model.mla",
                .help =
                    "Latent attention: {\"d_c\", \"d_r\", \"d_nope\", \"d_v\"}, widths of the "
                    "latent, the rotary key and a head's key and value",
                .type = FieldType::kObject,
                .default_text =
                    "null; {\"d_c\": 256, \"d_r\": 32, \"d_nope\": d_head, \"d_v\": "
                    "d_head} for mla",
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
            }};
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
    fields.push_back(
        bind_model(&ModelConfig::n_stream, {.path = "model.n_stream",
                                            .help = "Hyper-connections: number of residual streams",
                                            .default_text = "1; 4 for hc and mhc",
                                            .unit = "streams",
                                            .minimum = 1,
                                            .maximum = 64,
                                            .group = kOther,
                                            .advanced = true}));
    fields.push_back(mla_field());
}

bool reads_by(const Job& job, std::string_view rule) {
    const WiringChoice& choice = job.model.wiring_choice;
    return choice.value_source == rule || choice.key_source == rule;
}

bool skips_values(const Job& job) {
    return job.model.wiring_choice.value_source == "skip";
}

bool mixes_values(const Job& job) {
    const WiringChoice& choice = job.model.wiring_choice;
    return choice.value_source == "res" || (skips_values(job) && choice.skip_res);
}

void add_sharing_conditions(std::vector<BoundField>& fields) {
    const auto reads = [](const char* rule) {
        return [rule](const Job& job) { return reads_by(job, rule); };
    };
    count_when(fields, {"skip_layer", "skip_ratio"},
               {"value_source or key_source = skip", reads("skip")});
    count_when(fields, {"inject", "skip_res"}, {"value_source = skip", skips_values});
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
    const auto values = [](const Job& job) { return job.model.value.has(ValueMap::kNonlinear); };
    count_when(fields, {"qk_norm_eps"}, {"qk_norm = true", normed});
    count_when(fields, {"nq_rank"}, {"query = nonlinear", queries});
    count_when(fields, {"nv_rank"}, {"value = nonlinear", values});
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
