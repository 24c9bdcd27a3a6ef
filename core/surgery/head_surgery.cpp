#include "core/surgery/head_surgery.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/philox.h"
#include "core/config/enum_names.h"
#include "core/wiring/source_rules.h"

namespace headroom {
namespace {

constexpr double kHeadBasisCondition = 4;

/// Why a head of the table reads something else than what is projected for it alone; empty if it
/// does not. `what` and `reuse` complete the sentences.
FailedAssumption why_not_own(const SourceTable& table, const char* what, const char* reuse) {
    for (size_t layer = 0; layer < table.size(); ++layer)
        for (size_t g = 0; g < table[layer].size(); ++g) {
            const HeadSources& read = table[layer][g];
            const auto at = static_cast<int>(layer), head = static_cast<int>(g);
            if (read == HeadSources{{at, head}}) continue;
            if (std::any_of(read.begin(), read.end(),
                            [&](const HeadSource& source) { return source.layer != at; }))
                return {"reuse", reuse};
            if (read.empty())
                return {"nothing read",
                        fmt::format("layer {} head {} reads no {}", at, head, what)};
            if (read.size() == 1 && read.front().head == head)
                return {"weight",
                        fmt::format("layer {} head {} reads its {} with a weight", at, head, what)};
            return {"shared heads",
                    fmt::format("layer {} head {} reads {}s of other heads", at, head, what)};
        }
    return {};
}

/// What stands between W_Q and W_K besides their product.
FailedAssumption between_queries_and_keys(const ModelConfig& model) {
    if (model.mla) return {"latent", "mla: keys come from a latent"};
    if (model.pos == Positions::kRope)
        return {"rotary",
                "rotary positions (pos = rope) turn queries and keys between W_Q and W_K"};
    if (model.qk_norm) return {"QK-norm", "QK-norm (qk_norm = true) stands between W_Q and W_K"};
    return {};
}

bool merges_scores(const ModelConfig& model, int layer) {
    return has_matrix(model, {layer, AttentionMatrix::kQuery}) &&
           has_matrix(model, {layer, AttentionMatrix::kKey});
}

bool merges_outputs(const ModelConfig& model, int layer) {
    return has_matrix(model, {layer, AttentionMatrix::kValue}) &&
           has_matrix(model, {layer, AttentionMatrix::kOutput});
}

FailedAssumption why_no_merge(const ModelConfig& model) {
    if (model.n_head != 1)
        return {fmt::format("{} heads", model.n_head),
                fmt::format("{} heads (n_head): only the product of all heads' matrices together "
                            "is one matrix for a single head",
                            model.n_head)};
    if (FailedAssumption why = between_queries_and_keys(model); !why.empty()) return why;
    const char* reuse = "cross-layer reuse: keys or values of one layer are read by others";
    if (FailedAssumption why = why_not_own(model.wiring.keys, "key", reuse); !why.empty())
        return why;
    if (FailedAssumption why = why_not_own(model.wiring.values, "value", reuse); !why.empty())
        return why;
    if (model.d_head != model.d_model)
        return {"not square",
                fmt::format("the head's matrices are not square: d_head = {} and d_model = {}",
                            model.d_head, model.d_model)};
    for (int layer = 0; layer < stored_layers(model); ++layer)
        if (merges_scores(model, layer) || merges_outputs(model, layer)) return {};
    return {"merged", "every layer is merged already: no layer has W_Q and W_K, or W_V and W_O"};
}

}  // namespace

SurgeryPlan plan_merge_head(const ModelConfig& model, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "merge-head", .request = request, .config = model};
    if (FailedAssumption failed = why_no_merge(model); !failed.empty()) {
        plan.refuse(std::move(failed), "this model has no such form");
        return plan;
    }
    for (int layer = 0; layer < stored_layers(model); ++layer) {
        if (merges_scores(model, layer)) remove_matrix(plan.config, {layer});
        if (merges_outputs(model, layer))
            remove_matrix(plan.config, {layer, AttentionMatrix::kOutput});
    }
    return plan;
}

/// K' = W_K W_Q^T and V' = W_V W_O. A bias of the keys goes the way of their columns; those of
/// values and output are added to every token, since rows of attention sum to 1.
TensorFunction merged_head_tensors(const SurgeryPlan&) {
    return [](const WeightSource& source,
              const ParameterSpec& spec) -> std::optional<std::vector<double>> {
        const std::string attn = fmt::format("h.{}.attn.", spec.layer);
        const bool key = spec.name.starts_with(attn + "k."),
                   value = spec.name.starts_with(attn + "v.");
        if (spec.layer < 0 || (!key && !value)) return std::nullopt;
        if (key && merges_scores(source.config(), spec.layer))
            return product(read_matrix(source, spec.name),
                           transposed(read_matrix(source, LayerMatrix{spec.layer})))
                .values;
        if (!value || !merges_outputs(source.config(), spec.layer)) return std::nullopt;
        Matrix merged =
            product(read_matrix(source, spec.name), read_matrix(source, attn + "o.weight"));
        if (spec.name.ends_with(".bias")) {
            const Matrix own = read_matrix(source, attn + "o.bias");
            for (size_t i = 0; i < own.values.size(); ++i) merged.values[i] += own.values[i];
        }
        return std::move(merged.values);
    };
}

namespace {

bool changes_basis(const ModelConfig& model, const SurgeryRequest& request, int layer) {
    return (!request.layer || *request.layer == layer) &&
           model.query.at(layer) == QueryMap::kLinear &&
           has_matrix(model, {layer, AttentionMatrix::kKey});
}

/// REQUIRES: not changes_basis() of that layer.
FailedAssumption why_no_basis(const ModelConfig& model, int layer) {
    const std::string query = fmt::format("query = {}", spelling(model.query.at(layer))),
                      key = fmt::format("key = {}", spelling(model.key.at(layer)));
    const bool has_query = has_matrix(model, {layer, AttentionMatrix::kQuery}),
               has_key = has_matrix(model, {layer, AttentionMatrix::kKey});
    if (!has_query && !has_key)
        return {"no W_{Q}, no W_{K}",
                fmt::format("layer {} has no W_Q and no W_K: {}, {}", layer, query, key)};
    if (!has_key)
        return {"no W_{K}",
                fmt::format("layer {} has no W_K for W_Q to be changed with: {}", layer, key)};
    if (!has_query)
        return {"no W_{Q}",
                fmt::format("layer {} has no W_Q for W_K to be changed with: {}", layer, query)};
    return {"not linear",
            fmt::format("the queries of layer {} are not W_Q alone: {}", layer, query)};
}

FailedAssumption why_no_change(const ModelConfig& model, const SurgeryRequest& request) {
    if (FailedAssumption why = between_queries_and_keys(model); !why.empty()) return why;
    if (FailedAssumption why =
            why_not_own(model.wiring.keys, "key",
                        "cross-layer reuse: keys of one layer are read by the queries of others");
        !why.empty())
        return why;
    if (model.share_layers && request.layer.value_or(0) > 0)
        return {
            "shared layers",
            "shared layers (share_layers = true): their one block is layer 0; leave --layer out"};
    for (int layer = 0; layer < stored_layers(model); ++layer)
        if (changes_basis(model, request, layer)) return {};
    return why_no_basis(model, request.layer.value_or(0));
}

double uniform(uint32_t bits) {
    return (static_cast<double>(bits) + 0.5) / 4294967296.0;
}

/// Orthonormal rows, from normal numbers by Gram and Schmidt, twice.
Matrix random_rotation(int64_t n, std::array<uint32_t, 4> stream, uint64_t seed) {
    Matrix q(n, n);
    for (size_t i = 0; i < q.values.size(); ++i) {
        const auto bits =
            Philox::block({static_cast<uint32_t>(i), stream[1], stream[2], stream[3]},
                          static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32));
        q.values[i] = std::sqrt(-2 * std::log(uniform(bits[0]))) *
                      std::cos(2 * std::numbers::pi * uniform(bits[1]));
    }
    const auto row = [&](int64_t i) { return &q.values[static_cast<size_t>(i * n)]; };
    const auto dot = [&](const double* a, const double* b) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += a[j] * b[j];
        return sum;
    };
    for (int64_t i = 0; i < n; ++i) {
        for (int pass = 0; pass < 2; ++pass)
            for (int64_t k = 0; k < i; ++k) {
                const double along = dot(row(i), row(k));
                for (int64_t j = 0; j < n; ++j) row(i)[j] -= along * row(k)[j];
            }
        const double norm = std::sqrt(dot(row(i), row(i)));
        for (int64_t j = 0; j < n; ++j) row(i)[j] /= norm;
    }
    return q;
}

/// Head h of the columns times `basis_of(h)`.
Matrix heads_times(const Matrix& w, int64_t d_head,
                   const std::function<Matrix(int head)>& basis_of) {
    Matrix result(w.rows, w.cols);
    for (int64_t first = 0; first < w.cols; first += d_head) {
        Matrix head(w.rows, d_head);
        for (int64_t i = 0; i < w.rows; ++i)
            std::copy_n(&w.values[static_cast<size_t>(i * w.cols + first)], d_head,
                        &head.values[static_cast<size_t>(i * d_head)]);
        const Matrix changed = product(head, basis_of(static_cast<int>(first / d_head)));
        for (int64_t i = 0; i < w.rows; ++i)
            std::copy_n(&changed.values[static_cast<size_t>(i * d_head)], d_head,
                        &result.values[static_cast<size_t>(i * w.cols + first)]);
    }
    return result;
}

}  // namespace

Matrix random_head_basis(uint64_t seed, const LayerMatrix& key, int head, int64_t d_head,
                         bool inverse_transposed) {
    const auto layer = static_cast<uint32_t>(key.layer), at = static_cast<uint32_t>(head);
    Matrix left = transposed(random_rotation(d_head, {0, layer, at, 0}, seed));
    const Matrix right = random_rotation(d_head, {0, layer, at, 1}, seed);
    for (int64_t j = 0; j < d_head; ++j) {
        const double share =
            d_head == 1 ? 0.5 : static_cast<double>(j) / static_cast<double>(d_head - 1);
        const double s = std::pow(kHeadBasisCondition, share - 0.5);
        for (int64_t i = 0; i < d_head; ++i) left.at(i, j) *= inverse_transposed ? 1 / s : s;
    }
    return product(left, right);
}

SurgeryPlan plan_change_head_basis(const ModelConfig& model, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "change-head-basis", .request = request, .config = model};
    if (FailedAssumption failed = why_no_change(model, request); !failed.empty())
        plan.refuse(std::move(failed), "this model has no such freedom");
    plan.basis_condition = model.d_head > 1 ? kHeadBasisCondition : 1;
    return plan;
}

TensorFunction changed_head_tensors(const SurgeryPlan& plan) {
    return
        [request = plan.request](const WeightSource& source,
                                 const ParameterSpec& spec) -> std::optional<std::vector<double>> {
            const ModelConfig& model = source.config();
            if (spec.layer < 0 || !changes_basis(model, request, spec.layer)) return std::nullopt;
            const std::string attn = fmt::format("h.{}.attn.", spec.layer);
            const bool query = spec.name.starts_with(attn + "q."),
                       key = spec.name.starts_with(attn + "k.");
            if (!query && !key) return std::nullopt;
            const int64_t group = query ? model.n_head / model.n_kv_head : 1;
            return heads_times(read_matrix(source, spec.name), model.d_head,
                               [&](int head) {
                                   return random_head_basis(request.seed.value_or(kBasisSeed),
                                                            {spec.layer, AttentionMatrix::kKey},
                                                            head / static_cast<int>(group),
                                                            model.d_head, key);
                               })
                .values;
        };
}

}  // namespace headroom
