#include "core/surgery/rewire_model.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/linalg/matrix.h"
#include "core/surgery/surgery.h"
#include "core/weights/transformed_weights.h"
#include "core/wiring/source_rules.h"
#include "core/wiring/wiring_edit.h"

namespace headroom {
namespace {

using Columns = std::vector<std::vector<int>>;

/// The projection of its own that table head `head` of a layer reads, or -1.
int own_projection(const SourceTable& table, int layer, int head) {
    for (const HeadSource& source : table[static_cast<size_t>(layer)][static_cast<size_t>(head)])
        if (source.layer == layer) return source.head;
    return -1;
}

/// For each head that `wanted` projects in a layer: the projections of the source that it is the
/// mean of. UserError where the source has none.
Columns columns_of(const SourceTable& wanted, const SourceTable& given, int layer, int own,
                   const char* what) {
    const auto heads = static_cast<int>(wanted[static_cast<size_t>(layer)].size());
    const int group = static_cast<int>(given[static_cast<size_t>(layer)].size()) / heads;
    Columns columns;
    for (int p = 0; p < own; ++p) {
        const int head = column_of(wanted, {layer, p});
        columns.emplace_back();
        for (int j = head * group; j < (head + 1) * group; ++j) {
            const int projection = own_projection(given, layer, j);
            if (projection < 0)
                throw UserError(
                    fmt::format("model.wiring: layer {} needs a {} head {} of its own, which the "
                                "weights do not have",
                                layer, what, j),
                    "start from a model whose layers project what the wiring keeps");
            columns.back().push_back(projection);
        }
    }
    return columns;
}

/// Blocks of columns of one head's width, each the mean of those that are named.
std::vector<double> gathered(const Matrix& matrix, const Columns& columns, int64_t width) {
    std::vector<double> values;
    values.reserve(static_cast<size_t>(matrix.rows * width) * columns.size());
    for (int64_t row = 0; row < matrix.rows; ++row)
        for (const std::vector<int>& sources : columns)
            for (int64_t i = 0; i < width; ++i) {
                double sum = 0;
                for (const int source : sources) sum += matrix.at(row, source * width + i);
                values.push_back(sum / static_cast<double>(sources.size()));
            }
    return values;
}

void check_sizes(const ModelConfig& given, const ModelConfig& wanted) {
    const std::string mend = "give the job the sizes of the file";
    const auto equal = [&](const char* key, int64_t a, int64_t b) {
        if (a != b)
            throw UserError(fmt::format("model.{} = {}, in the weights {}", key, b, a), mend);
    };
    if (given.mla || wanted.mla)
        throw UserError("model.mla: latent attention has no heads to rewire", mend);
    equal("n_layer", given.n_layer, wanted.n_layer);
    equal("n_head", given.n_head, wanted.n_head);
    equal("d_head", given.d_head, wanted.d_head);
    if (given.n_kv_head % wanted.n_kv_head != 0)
        throw UserError(fmt::format("model.n_kv_head = {} does not divide {}, the heads of the "
                                    "weights",
                                    wanted.n_kv_head, given.n_kv_head),
                        mend);
}

/// One of the layer's key or value maps, or its bias: its columns.
std::optional<Columns> columns_for(const ParameterSpec& spec, const ModelConfig& given,
                                   const ModelConfig& wanted) {
    if (spec.layer < 0) return std::nullopt;
    const auto layer = static_cast<size_t>(spec.layer);
    const auto is = [&](const char* map) {
        const std::string stem = fmt::format("h.{}.attn.{}.", spec.layer, map);
        return spec.name == stem + "weight" || spec.name == stem + "bias";
    };
    if (is("k"))
        return columns_of(wanted.wiring.keys, given.wiring.keys, spec.layer,
                          wanted.wiring.own_key_heads[layer], "key");
    if (is("v"))
        return columns_of(wanted.wiring.values, given.wiring.values, spec.layer,
                          wanted.wiring.own_value_heads[layer], "value");
    return std::nullopt;
}

/// The config that rewire() gives.
ModelConfig rewired_config(const ModelConfig& source, const ModelConfig& wanted) {
    check_sizes(source, wanted);
    ModelConfig model = source;
    model.n_kv_head = wanted.n_kv_head;
    model.wiring = wanted.wiring;
    model.wiring_choice = wanted.wiring_choice;
    model.custom_wiring = wanted.custom_wiring;
    for (const ParameterSpec& spec : parameter_specs(model))
        columns_for(spec, source, model);  // refuses now, not while reading
    return model;
}

}  // namespace

void check_rewire(const ModelConfig& source, const ModelConfig& wanted) {
    rewired_config(source, wanted);
}

std::shared_ptr<const WeightSource> rewire(std::shared_ptr<const WeightSource> source,
                                           const ModelConfig& wanted) {
    Transformation transformation{"rewired", "rewire", {}, {}};
    try {
        transformation.config = rewired_config(source->config(), wanted);
    } catch (const UserError& error) {
        throw UserError(fmt::format("{}: {}", source->title(), error.what()));
    }
    transformation.tensor = [model = transformation.config](
                                const WeightSource& weights,
                                const ParameterSpec& spec) -> std::optional<std::vector<double>> {
        if (const auto columns = columns_for(spec, weights.config(), model))
            return gathered(read_matrix(weights, spec.name), *columns, model.d_head);
        if (spec.name.ends_with(".attn.lambda") && !weights.has(spec.name))
            return std::vector<double>{kInitialLambda};
        return std::nullopt;
    };
    return std::make_shared<const TransformedWeights>(std::move(source), std::move(transformation));
}

}  // namespace headroom
