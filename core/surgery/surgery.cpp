#include "core/surgery/surgery.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "core/account/parameter_count.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/config/model_check.h"
#include "core/surgery/head_surgery.h"
#include "core/surgery/norm_surgery.h"
#include "core/surgery/stream_surgery.h"

namespace headroom {
namespace {

using Requests = std::vector<SurgeryRequest>;

Requests once(const ModelConfig&) {
    return {{}};
}

Requests each_matrix(const ModelConfig&) {
    Requests all;
    for (const AttentionMatrix matrix : attention_matrices()) all.push_back({{matrix}});
    return all;
}

Requests each_matrix_and_layer(const ModelConfig& model) {
    Requests all;
    for (const AttentionMatrix matrix : attention_matrices())
        for (int layer = 0; layer < model.n_layer; ++layer) all.push_back({{matrix}, layer});
    return all;
}

Requests each_reader(const ModelConfig&) {
    return {{{AttentionMatrix::kQuery}}, {{AttentionMatrix::kKey}}, {{AttentionMatrix::kValue}}};
}

Requests each_side(const ModelConfig& model) {
    Requests all = each_matrix(model);
    if (model.topology == Topology::kParallel)
        all.push_back({{AttentionMatrix::kQuery, AttentionMatrix::kOutput}});
    return all;
}

/// Whether the surgery lists a request like that one.
void check_matrices(const ModelConfig& model, const Surgery& surgery,
                    const SurgeryRequest& request) {
    std::vector<AttentionMatrix> sorted = request.matrices;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.empty()) return;
    std::vector<std::string> known;
    for (const SurgeryRequest& listed : surgery.requests(model)) {
        if (listed.matrices == sorted) return;
        for (const AttentionMatrix matrix : listed.matrices)
            if (std::find(known.begin(), known.end(), letter_of(matrix)) == known.end())
                known.push_back(letter_of(matrix));
    }
    std::vector<std::string> given;
    for (const AttentionMatrix matrix : sorted) given.push_back(letter_of(matrix));
    throw UserError(
        fmt::format("--matrix {} does not go with {}", fmt::join(given, ","), surgery.name),
        known.empty() ? "leave it out" : fmt::format("use one of {}", fmt::join(known, ", ")));
}

void check_layer(const ModelConfig& model, const Surgery& surgery, const SurgeryRequest& request) {
    const std::string name = surgery.name;
    if (surgery.layer == LayerUse::kNeeded && !request.layer)
        throw UserError(fmt::format("{} needs a layer", name),
                        fmt::format("give --layer 0 to {}", model.n_layer - 1));
    if (!request.layer) return;
    if (surgery.layer == LayerUse::kNone)
        throw UserError(fmt::format("--layer does not go with {}, which works on all layers", name),
                        "leave it out");
    if (*request.layer < 0 || *request.layer >= model.n_layer)
        throw UserError(fmt::format("--layer {} is not a layer of this model", *request.layer),
                        fmt::format("layers count from 0 to {}", model.n_layer - 1));
}

}  // namespace

const std::vector<Surgery>& surgeries() {
    using Matrices = std::vector<AttentionMatrix>;
    const Matrices none, output{AttentionMatrix::kOutput};
    const Matrices query_key{AttentionMatrix::kQuery, AttentionMatrix::kKey};
    const Matrices query_output{AttentionMatrix::kQuery, AttentionMatrix::kOutput};
    static const std::vector<Surgery> list{
        {"change-head-basis", "Karbevski & Mijoski, proposition 4.2",
         "a random basis for the queries and keys of every head; removes nothing",
         LayerUse::kOptional, true, query_key, once, plan_change_head_basis, changed_head_tensors,
         true},
        {"merge-head", "Karbevski & Mijoski, proposition 4.1",
         "a single head keeps W_K W_Q^T and W_V W_O", LayerUse::kNone, true, query_output, once,
         plan_merge_head, merged_head_tensors},
        {"remove-one", "Karbevski & Mijoski, theorem 4.1", "one matrix of one layer, no norms",
         LayerUse::kNeeded, true, none, each_matrix_and_layer, plan_remove_one, rebased_tensors},
        {"remove-all", "Karbevski & Mijoski, theorem 4.2",
         "one matrix of every layer, no norms and no MLP skips", LayerUse::kNone, true, none,
         each_matrix, plan_remove_all, rebased_tensors},
        {"remove-shared", "Karbevski & Mijoski, theorem 4.3",
         "one matrix of the block that all layers share, no norms", LayerUse::kNone, true, none,
         each_matrix, plan_remove_shared, rebased_tensors},
        {"remove-with-output", "Graef, figure 1 and table 1",
         "W_Q, W_K or W_V together with W_O, no norms and no skips", LayerUse::kNone, true, output,
         each_reader, plan_remove_with_output, rebased_tensors},
        {"remove-parallel", "Graef, figure 3, one-sided",
         "one matrix of every parallel block, no norms and no skips", LayerUse::kNone, true, none,
         each_side, plan_remove_parallel, rebased_tensors},
        {"fold-norms", "exact; a first step towards a model without norms",
         "gains of norms into the matrices that read them", LayerUse::kNone, true, none, once,
         plan_fold_norms, folded_norm_tensors},
        {"freeze-norms", "approximate; Karbevski & Mijoski, remark 2",
         "norms become their average scale, so that the exact surgeries apply", LayerUse::kOptional,
         false, none, once, plan_freeze_norms, frozen_norm_tensors},
    };
    return list;
}

const Surgery& find_surgery(const std::string& name) {
    std::vector<std::string> names;
    for (const Surgery& surgery : surgeries()) {
        if (surgery.name == name) return surgery;
        names.emplace_back(surgery.name);
    }
    throw UserError(fmt::format("--transform {} is no surgery{}", name, suggestion(name, names)));
}

void SurgeryPlan::refuse(FailedAssumption failed, std::string how_else) {
    assumption = std::move(failed.word);
    refusal = std::move(failed.why);
    remedy = std::move(how_else);
}

SurgeryPlan plan_surgery(const ModelConfig& model, const Surgery& surgery,
                         const SurgeryRequest& request) {
    check_matrices(model, surgery, request);
    check_layer(model, surgery, request);
    if (request.seed && !surgery.draws)
        throw UserError(
            fmt::format("--seed does not go with {}, which draws nothing", surgery.name),
            "leave it out");
    if (model.reads_images()) {
        SurgeryPlan plan{.name = surgery.name, .request = request, .config = model};
        plan.refuse({"images",
                     "the model reads images (input = images), which no surgery here is made for"},
                    "take a model with model.input = tokens");
        return plan;
    }
    SurgeryPlan plan = surgery.plan(model, request);
    if (!plan.applies()) return plan;
    if (request.untie) plan.config.tie = false;
    check_model(plan.config);
    return plan;
}

int64_t weights_removed(const ModelConfig& model, const SurgeryPlan& plan) {
    return count_parameters(model).total - count_parameters(plan.config).total;
}

std::string fewer_text(int64_t weights_removed) {
    return fmt::format("{} weights {}", grouped_digits(std::abs(weights_removed)),
                       weights_removed < 0 ? "more" : "fewer");
}

int64_t stored_layers(const ModelConfig& model) {
    return model.share_layers ? 1 : model.n_layer;
}

Matrix read_matrix(const WeightSource& source, const std::string& name) {
    for (const ParameterSpec& spec : source.specs())
        if (spec.name == name)
            return {spec.shape.size() == 1 ? 1 : spec.shape.front(), spec.shape.back(),
                    source.read<double>(name)};
    CHECK(false, "not a tensor of the model: " + name);
}

Matrix read_matrix(const WeightSource& source, const LayerMatrix& which) {
    Matrix matrix = read_matrix(source, tensor_of(which));
    const bool residual = which.matrix == AttentionMatrix::kQuery &&
                          source.config().query.at(which.layer) == QueryMap::kResidual;
    if (residual)
        for (int64_t i = 0; i < matrix.rows; ++i) matrix.at(i, i) += 1;
    return matrix;
}

std::shared_ptr<WeightSource> operated(std::shared_ptr<const WeightSource> source,
                                       const SurgeryPlan& plan) {
    if (!plan.applies())
        throw UserError(
            fmt::format("{} does not apply to {}: {}", plan.name, source->title(), plan.refusal),
            plan.remedy);
    TensorFunction tensors = find_surgery(plan.name).tensors(plan);
    std::string method = plan.name;
    for (const AttentionMatrix matrix : plan.request.matrices)
        method += fmt::format(" {}", letter_of(matrix));
    if (plan.request.layer) method += fmt::format(" {}", *plan.request.layer);
    // A head that is untied without any change of basis is the embedding's transpose.
    const auto with_head = [tensors = std::move(tensors)](const WeightSource& from,
                                                          const ParameterSpec& spec) {
        std::optional<std::vector<double>> made = tensors(from, spec);
        if (!made && spec.name == "lm_head.weight" && !from.has(spec.name))
            made = transposed(read_matrix(from, "wte.weight")).values;
        return made;
    };
    return std::make_shared<TransformedWeights>(
        std::move(source), Transformation{"operated", method, plan.config, with_head});
}

}  // namespace headroom
