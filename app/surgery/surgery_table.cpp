#include "app/surgery/surgery_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/describe/model_source.h"
#include "app/surgery/surgery_json.h"
#include "core/account/parameter_count.h"
#include "core/base/digits.h"
#include "core/base/json_text.h"
#include "core/model/parameters.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

ModelConfig model_of(const std::string& preset) {
    nlohmann::json document;
    ModelSource source = ModelSource::read(preset, "", {}, document);
    resolve_vocabularies(source);
    return source.job.model;
}

int64_t count_roles(const ModelConfig& model, int layer,
                    std::initializer_list<ParameterRole> roles) {
    int64_t count = 0;
    for (const ParameterSpec& spec : parameter_specs(model))
        for (const ParameterRole role : roles)
            if (spec.role == role && spec.layer == layer) count += spec.count();
    return count;
}

/// W_Q and W_O of every layer, whether or not that is exact.
ModelConfig without_both(ModelConfig model) {
    for (int layer = 0; layer < model.n_layer; ++layer)
        for (const AttentionMatrix matrix : {AttentionMatrix::kQuery, AttentionMatrix::kOutput})
            remove_matrix(model, {layer, matrix});
    return model;
}

Json column_of(const std::string& preset) {
    const ModelConfig model = model_of(preset);
    const ParameterCount counted = count_parameters(model),
                         left = count_parameters(without_both(model));
    const int64_t before = counted.total, after = left.total;
    const SurgeryPlan plan =
        plan_surgery(model, find_surgery("remove-with-output"), {{AttentionMatrix::kQuery}});
    using enum ParameterRole;
    return {{"model", preset},
            {"qp_per_layer", count_roles(model, 0, {kQuery, kOutput})},
            {"kv_per_layer", count_roles(model, 0, {kKey, kValue})},
            {"ffn_per_layer", count_roles(model, 0, {kMlp})},
            {"embeddings", count_roles(model, -1, {kEmbedding, kPosition, kHead})},
            {"total", before},
            {"total_without_qp", after},
            {"savings", static_cast<double>(before - after) / static_cast<double>(before)},
            {"speedup", static_cast<double>(counted.active) / static_cast<double>(left.active)},
            {"exact", plan.applies()},
            {"reason", plan.refusal}};
}

}  // namespace

void print_surgery_table(const SurgeryTableArguments& arguments) {
    Json columns = Json::array();
    for (const std::string& preset : arguments.presets) columns.push_back(column_of(preset));
    if (arguments.json) {
        fmt::print("{}\n", dump_text(Json{{"models", columns}}, 2));
        return;
    }
    const auto line = [&](const char* title, const auto& text_of) {
        fmt::print("{:<28}", title);
        for (const Json& column : columns) fmt::print(" {:>24}", text_of(column));
        fmt::print("\n");
    };
    const auto number = [&](const char* title, const char* key) {
        line(title, [&](const Json& c) { return grouped_digits(c[key].get<int64_t>()); });
    };
    line("", [](const Json& c) { return c["model"].get<std::string>(); });
    number("W_Q and W_O per layer", "qp_per_layer");
    number("W_K and W_V per layer", "kv_per_layer");
    number("MLP per layer", "ffn_per_layer");
    number("embeddings and head", "embeddings");
    number("weights", "total");
    number("without W_Q and W_O", "total_without_qp");
    line("savings",
         [](const Json& c) { return fmt::format("{:.2f} %", 100 * c["savings"].get<double>()); });
    line("possible speed-up, batch 1",
         [](const Json& c) { return fmt::format("{:.4f}", c["speedup"].get<double>()); });
    line("exact", [](const Json& c) { return std::string(c["exact"].get<bool>() ? "yes" : "no"); });
    for (const Json& column : columns)
        if (!column["exact"].get<bool>())
            fmt::print("{}: {}\n", column["model"].get<std::string>(),
                       column["reason"].get<std::string>());
}

}  // namespace headroom
