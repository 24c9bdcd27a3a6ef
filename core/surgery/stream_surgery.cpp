#include "core/surgery/stream_surgery.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/surgery/rebased_tensors.h"

namespace headroom {
namespace {

AttentionMatrix matrix_of(const SurgeryRequest& request) {
    return request.matrices.empty() ? AttentionMatrix::kQuery : request.matrices.front();
}

SurgeryPlan refused(SurgeryPlan plan, FailedAssumption failed, std::string remedy) {
    plan.refuse(std::move(failed), std::move(remedy));
    return plan;
}

SurgeryPlan with_bases(SurgeryPlan plan, const ModelConfig& model,
                       std::vector<LayerMatrix> removed) {
    const auto bases =
        std::make_shared<const BasisPlan>(model, std::move(removed), plan.request.untie);
    if (!bases->possible()) return refused(std::move(plan), bases->failed(), bases->remedy());
    plan.config = bases->config();
    plan.inverted = bases->inverted();
    plan.bases = bases;
    return plan;
}

/// The matrices that every layer still has; where none does, those of layer 0, which say why.
std::vector<LayerMatrix> in_every_layer(const ModelConfig& model,
                                        const std::vector<AttentionMatrix>& matrices) {
    std::vector<LayerMatrix> all;
    for (int layer = 0; layer < stored_layers(model); ++layer)
        for (const AttentionMatrix matrix : matrices) {
            if (!is_identity(model, {layer, matrix})) all.push_back({layer, matrix});
        }
    if (all.empty()) all.push_back({0, matrices.front()});
    return all;
}

/// Graef's figure 3 removes both; semantics 11.8 says why that is not an equivalence.
std::string both_of_parallel(AttentionMatrix reader) {
    return fmt::format(
        "parallel blocks (topology = parallel): W_O adds to the MLP's output and has no matrix of "
        "its own to be merged into, so removing it and {0} together would take W_O of one layer "
        "times {0} of the next to be I",
        symbol_of(reader));
}

}  // namespace

SurgeryPlan plan_remove_one(const ModelConfig& model, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "remove-one", .request = request, .config = model};
    if (model.share_layers)
        return refused(std::move(plan),
                       {"shared layers",
                        "shared layers (share_layers = true): one layer's matrix is every layer's"},
                       "use remove-shared");
    return with_bases(std::move(plan), model, {{request.layer.value_or(0), matrix_of(request)}});
}

SurgeryPlan plan_remove_all(const ModelConfig& model, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "remove-all", .request = request, .config = model};
    if (model.share_layers)
        return refused(
            std::move(plan),
            {"shared layers", "shared layers (share_layers = true): there is one matrix to remove"},
            "use remove-shared");
    if (model.topology == Topology::kParallel)
        return refused(std::move(plan), {"parallel", "parallel blocks (topology = parallel)"},
                       "use remove-parallel");
    return with_bases(std::move(plan), model, in_every_layer(model, {matrix_of(request)}));
}

SurgeryPlan plan_remove_shared(const ModelConfig& model, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "remove-shared", .request = request, .config = model};
    if (!model.share_layers)
        return refused(std::move(plan),
                       {"not shared", "the layers do not share their weights (share_layers)"},
                       "use remove-one or remove-all");
    return with_bases(std::move(plan), model, {{0, matrix_of(request)}});
}

SurgeryPlan plan_remove_with_output(const ModelConfig& model, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "remove-with-output", .request = request, .config = model};
    if (model.topology == Topology::kParallel)
        return refused(std::move(plan), {"parallel", both_of_parallel(matrix_of(request))},
                       "use remove-parallel with --matrix q or --matrix o");
    return with_bases(std::move(plan), model,
                      in_every_layer(model, {matrix_of(request), AttentionMatrix::kOutput}));
}

SurgeryPlan plan_remove_parallel(const ModelConfig& model, const SurgeryRequest& request) {
    SurgeryPlan plan{.name = "remove-parallel", .request = request, .config = model};
    if (model.topology != Topology::kParallel)
        return refused(std::move(plan), {"serial", "the blocks are serial (topology = serial)"},
                       "use remove-with-output or remove-all");
    const bool output = std::find(request.matrices.begin(), request.matrices.end(),
                                  AttentionMatrix::kOutput) != request.matrices.end();
    if (request.matrices.size() > 1)
        return refused(
            std::move(plan),
            {output ? "parallel" : "one basis",
             output ? both_of_parallel(request.matrices.front() == AttentionMatrix::kOutput
                                           ? request.matrices.back()
                                           : request.matrices.front())
                    : "one basis can make one matrix of a layer the identity"},
            "remove one of them");
    return with_bases(std::move(plan), model, in_every_layer(model, {matrix_of(request)}));
}

TensorFunction rebased_tensors(const SurgeryPlan& plan) {
    const auto tensors = std::make_shared<RebasedTensors>(plan.bases);
    return [tensors](const WeightSource& source, const ParameterSpec& spec) {
        return (*tensors)(source, spec);
    };
}

}  // namespace headroom
