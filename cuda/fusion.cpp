#include "cuda/fusion.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/adamw.h"
#include "cuda/fused_kernels.h"

namespace headroom::cuda {
namespace {

/// The nodes of one phase, by which fusions are looked for.
struct PhaseNodes {
    const Graph& graph;
    std::vector<size_t> order;  ///< of the graph

    const Node& at(size_t place) const { return graph.nodes()[order[place]]; }
    bool is(size_t place, std::string_view op) const {
        return place < order.size() && at(place).op->name() == op;
    }
};

/// The node that stands for nodes `first` .. `first + count` of the phase.
Node joined(const PhaseNodes& phase, size_t first, size_t count) {
    Node node;
    node.name = phase.at(first).name;
    node.phase = phase.at(first).phase;
    for (size_t place = first; place < first + count; ++place) {
        const Node& part = phase.at(place);
        node.inputs.insert(node.inputs.end(), part.inputs.begin(), part.inputs.end());
        node.outputs.insert(node.outputs.end(), part.outputs.begin(), part.outputs.end());
        node.writes.insert(node.writes.end(), part.writes.begin(), part.writes.end());
    }
    return node;
}

/// Whether the node remakes the bfloat16 copy of a weight that one of the updates has written;
/// then that one is told where the copy stands among the outputs.
bool take_copy(const PhaseNodes& phase, const Node& cast, size_t first, size_t output,
               std::vector<AdamWUpdate>& updates) {
    if (cast.writes[0] != Write::kOverwrite ||
        phase.graph.value(cast.outputs[0]).type.dtype != DType::kBF16)
        return false;
    for (size_t n = 0; n < updates.size(); ++n) {
        if (updates[n].copy >= 0 || phase.at(first + n).outputs[0] != cast.inputs[0]) continue;
        updates[n].copy = static_cast<int>(output);
        return true;
    }
    return false;
}

/// AdamW nodes from `first` on that read one norm, and the casts behind them. Empty if there is
/// but one node.
std::vector<Fusion> adamw_run(const PhaseNodes& phase, size_t first) {
    const Graph& graph = phase.graph;
    const auto dtype_at = [&](size_t place) {
        return graph.value(phase.at(place).inputs[0]).type.dtype;
    };
    std::vector<AdamWUpdate> updates;
    size_t end = first;
    OpCost cost;
    for (; phase.is(end, "adamw") && phase.at(end).inputs[1] == phase.at(first).inputs[1] &&
           dtype_at(end) == dtype_at(first);
         ++end) {
        updates.push_back({dynamic_cast<const AdamW&>(*phase.at(end).op).options(), -1});
        cost.bytes += phase.at(end).op->cost(graph.types_of(phase.at(end).inputs)).bytes;
    }
    size_t output = 3 * updates.size();
    for (; phase.is(end, "cast") && take_copy(phase, phase.at(end), first, output, updates); ++end)
        cost.bytes += static_cast<double>(graph.value(phase.at(end).outputs[0]).type.bytes()),
            ++output;
    if (end - first < 2) return {};
    Node node = joined(phase, first, end - first);
    std::vector<ValueId> reads;
    for (size_t n = 0; n < updates.size(); ++n) reads.push_back(node.inputs[2 * n]);
    reads.push_back(node.inputs[1]);
    std::vector<ValueId> writes = node.outputs;
    const std::string name = output > 3 * updates.size() ? "adamw + cast" : "adamw";
    return {{name,
             {phase.order.begin() + static_cast<ptrdiff_t>(first),
              phase.order.begin() + static_cast<ptrdiff_t>(end)},
             std::move(node),
             std::move(reads),
             std::move(writes),
             adamw_run_kernel(std::move(updates), dtype_at(first)),
             cost}};
}

void find_in_phase(const PhaseNodes& phase, std::vector<Fusion>& fusions) {
    for (size_t place = 0; place < phase.order.size();) {
        std::vector<Fusion> found;
        if (phase.is(place, "adamw")) found = adamw_run(phase, place);
        place += found.empty() ? 1 : found[0].nodes.size();
        for (Fusion& fusion : found) fusions.push_back(std::move(fusion));
    }
}

bool overlap(const Plan::Placement& a, const Plan::Placement& b) {
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

}  // namespace

std::vector<Fusion> find_fusions(const Graph& graph) {
    std::vector<Fusion> fusions;
    for (const Phase phase : {Phase::kPrepare, Phase::kForward, Phase::kBackward, Phase::kUpdate,
                              Phase::kEvaluate, Phase::kDecode}) {
        PhaseNodes nodes{graph, {}};
        for (size_t n = 0; n < graph.nodes().size(); ++n)
            if (graph.nodes()[n].phase == phase) nodes.order.push_back(n);
        find_in_phase(nodes, fusions);
    }
    return fusions;
}

bool fits(const Fusion& fusion, const Plan& plan) {
    const auto at = [&](ValueId id) { return plan.values[static_cast<size_t>(id)]; };
    for (size_t w = 0; w < fusion.writes.size(); ++w) {
        const ValueId written = fusion.writes[w];
        const auto apart = [&](ValueId other) {
            return other == written || !overlap(at(other), at(written));
        };
        if (!std::all_of(fusion.reads.begin(), fusion.reads.end(), apart) ||
            !std::all_of(fusion.writes.begin() + static_cast<ptrdiff_t>(w), fusion.writes.end(),
                         apart))
            return false;
    }
    return true;
}

}  // namespace headroom::cuda
