#include "cuda/fusion/fusion.h"

#include <algorithm>

#include "core/ops/adamw.h"
#include "cuda/fusion/fused_kernels.h"
#include "cuda/fusion/phase_nodes.h"

namespace headroom::cuda {
namespace {

bool overlap(const Plan::Placement& a, const Plan::Placement& b) {
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

void find_in_phase(const PhaseNodes& nodes, std::vector<Fusion>& fusions) {
    for (size_t place = 0; place < nodes.count();) {
        std::vector<Fusion> found = adamw_run(nodes, place);
        if (found.empty()) found = linear_fusion(nodes, place);
        place += found.empty() ? 1 : found[0].nodes.size();
        for (Fusion& fusion : found) fusions.push_back(std::move(fusion));
    }
}

}  // namespace

/// AdamW nodes that read one norm.
std::vector<Fusion> adamw_run(const PhaseNodes& nodes, size_t first) {
    if (!nodes.is(first, "adamw")) return {};
    const Graph& graph = nodes.graph();
    const auto norm_of = [&](size_t place) { return nodes.at(place).inputs[1]; };
    const auto type_of = [&](size_t place) {
        return graph.value(nodes.at(place).inputs[0]).type.dtype;
    };
    std::vector<AdamW> updates;
    size_t end = first;
    for (;
         nodes.is(end, "adamw") && norm_of(end) == norm_of(first) && type_of(end) == type_of(first);
         ++end)
        updates.push_back(dynamic_cast<const AdamW&>(*nodes.at(end).op));
    if (end - first < 2) return {};

    Fusion fusion = nodes.joined(first, end);
    for (size_t n = 0; n < updates.size(); ++n) fusion.reads.push_back(fusion.node.inputs[2 * n]);
    fusion.reads.push_back(norm_of(first));
    fusion.writes = fusion.node.outputs;
    for (const TensorType& type : graph.types_of(fusion.node.inputs))
        fusion.cost.bytes += static_cast<double>(type.bytes());
    for (const TensorType& type : graph.types_of(fusion.node.outputs))
        fusion.cost.bytes += (type.dtype == DType::kBF16 ? 1.0 : 2.0) *  // read and written
                             static_cast<double>(type.bytes());
    fusion.kernel = adamw_run_kernel(std::move(updates), type_of(first));
    return {std::move(fusion)};
}

std::vector<Fusion> find_fusions(const Graph& graph) {
    std::vector<Fusion> fusions;
    for (const Phase phase : {Phase::kPrepare, Phase::kForward, Phase::kBackward, Phase::kUpdate,
                              Phase::kEvaluate, Phase::kDecode})
        find_in_phase(PhaseNodes(graph, phase), fusions);
    return fusions;
}

bool fits(const Fusion& fusion, const Plan& plan) {
    const auto at = [&](ValueId id) { return plan.values[static_cast<size_t>(id)]; };
    const auto apart = [&](ValueId a, ValueId b) { return a == b || !overlap(at(a), at(b)); };
    const auto same_place = [&](ValueId a, ValueId b) { return at(a).offset == at(b).offset; };
    for (const ValueId written : fusion.writes) {
        for (const ValueId other : fusion.writes)
            if (!apart(written, other)) return false;
        for (const ValueId read : fusion.reads)
            if (!apart(written, read)) return false;
        for (const ValueId read : fusion.reads_in_place)
            if (!apart(written, read) && !same_place(written, read)) return false;
    }
    return true;
}

}  // namespace headroom::cuda
