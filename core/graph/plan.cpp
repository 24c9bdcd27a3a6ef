#include "core/graph/plan.h"

#include <algorithm>
#include <numeric>

namespace headroom {
namespace {

int64_t aligned(int64_t bytes) {
    return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

/// Values that share one buffer because one overwrites the other in place, and its life.
struct Buffer {
    int64_t bytes = 0;
    int first = -1, last = -1;
    int64_t offset = 0;
};

void find_lifetimes(const Graph& graph, Plan& plan) {
    for (auto& placement : plan.values) placement.first_node = placement.last_node = -1;
    for (size_t n = 0; n < graph.nodes().size(); ++n) {
        const Node& node = graph.nodes()[n];
        const auto touch = [&](ValueId id) {
            auto& placement = plan.values[static_cast<size_t>(id)];
            if (placement.first_node < 0) placement.first_node = static_cast<int>(n);
            placement.last_node = static_cast<int>(n);
        };
        for (const ValueId id : node.inputs) touch(id);
        for (const ValueId id : node.outputs) touch(id);
    }
}

/// Lays values with unlimited life one after the other and counts them under their headings.
int64_t place_persistent(const Graph& graph, Plan& plan) {
    int64_t end = 0;
    for (size_t v = 0; v < graph.values().size(); ++v) {
        const Value& value = graph.values()[v];
        if (!is_persistent(value.role) || value.role == Role::kCache) continue;
        const int64_t bytes = aligned(value.type.bytes());
        plan.values[v].offset = end;
        end += bytes;
        MemoryLedger& ledger = plan.ledger;
        switch (value.role) {
            case Role::kParameter:
            case Role::kWorkingCopy:
                ledger.weights += bytes;
                break;
            case Role::kGradient:
                ledger.gradients += bytes;
                break;
            case Role::kOptimizer:
                ledger.optimizer += bytes;
                break;
            default:
                ledger.inputs_and_results += bytes;
        }
    }
    return end;
}

/// Lays the caches one after the other, so that they take exactly the bytes of their numbers.
int64_t place_caches(const Graph& graph, int64_t end, Plan& plan) {
    for (size_t v = 0; v < graph.values().size(); ++v) {
        if (graph.values()[v].role != Role::kCache) continue;
        const int64_t bytes = graph.values()[v].type.bytes();
        plan.values[v].offset = end;
        end += bytes;
        plan.ledger.cache += bytes;
    }
    return aligned(end);
}

/// Gives each short-lived value a buffer; an output that may overwrite a dying input takes its.
std::vector<int> assign_buffers(const Graph& graph, const Plan& plan,
                                std::vector<Buffer>& buffers) {
    std::vector<int> buffer_of(graph.values().size(), -1);
    const auto life = [&](ValueId id) { return plan.values[static_cast<size_t>(id)]; };
    for (size_t n = 0; n < graph.nodes().size(); ++n) {
        const Node& node = graph.nodes()[n];
        for (size_t o = 0; o < node.outputs.size(); ++o) {
            const ValueId out = node.outputs[o];
            int& slot = buffer_of[static_cast<size_t>(out)];
            if (is_persistent(graph.value(out).role) || slot >= 0) continue;
            for (size_t i = 0; i < node.inputs.size() && slot < 0; ++i) {
                const ValueId in = node.inputs[i];
                const int candidate = buffer_of[static_cast<size_t>(in)];
                const bool dies_here = life(in).last_node == static_cast<int>(n);
                const bool used_once = std::count(node.inputs.begin(), node.inputs.end(), in) == 1;
                const bool taken = std::any_of(
                    node.outputs.begin(), node.outputs.begin() + static_cast<ptrdiff_t>(o),
                    [&](ValueId id) { return buffer_of[static_cast<size_t>(id)] == candidate; });
                if (candidate < 0 || taken || !dies_here || !used_once ||
                    buffers[static_cast<size_t>(candidate)].last != static_cast<int>(n) ||
                    graph.value(in).type.bytes() != graph.value(out).type.bytes() ||
                    !node.op->may_overwrite(static_cast<int>(i), static_cast<int>(o)))
                    continue;
                slot = candidate;
                buffers[static_cast<size_t>(slot)].last = life(out).last_node;
            }
            if (slot >= 0) continue;
            slot = static_cast<int>(buffers.size());
            buffers.push_back({aligned(graph.value(out).type.bytes()), life(out).first_node,
                               life(out).last_node, 0});
        }
    }
    return buffer_of;
}

/// Greedy by size: the largest buffer first, each at the lowest offset where it meets no placed
/// buffer whose life overlaps its own. Returns the height of the region.
int64_t pack(std::vector<Buffer>& buffers) {
    std::vector<size_t> order(buffers.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
    std::vector<const Buffer*> placed;  // sorted by offset
    int64_t height = 0;
    for (const size_t index : order) {
        Buffer& buffer = buffers[index];
        int64_t offset = 0;
        for (const Buffer* other : placed) {
            const bool overlap = other->first <= buffer.last && buffer.first <= other->last;
            if (!overlap) continue;
            if (offset + buffer.bytes <= other->offset) break;
            offset = std::max(offset, other->offset + other->bytes);
        }
        buffer.offset = offset;
        height = std::max(height, offset + buffer.bytes);
        placed.insert(std::upper_bound(
                          placed.begin(), placed.end(), &buffer,
                          [](const Buffer* a, const Buffer* b) { return a->offset < b->offset; }),
                      &buffer);
    }
    return height;
}

int64_t largest_scratch(const Graph& graph, const ScratchOf& scratch_of) {
    int64_t bytes = 0;
    for (const Node& node : graph.nodes()) bytes = std::max(bytes, scratch_of(node));
    return aligned(bytes);
}

}  // namespace

Plan plan_memory(const Graph& graph, const ScratchOf& scratch_of) {
    Plan plan;
    plan.values.resize(graph.values().size());
    for (size_t v = 0; v < graph.values().size(); ++v)
        plan.values[v].bytes = graph.values()[v].type.bytes();
    find_lifetimes(graph, plan);
    const int64_t start = place_caches(graph, place_persistent(graph, plan), plan);

    std::vector<Buffer> buffers;
    const std::vector<int> buffer_of = assign_buffers(graph, plan, buffers);
    plan.ledger.activations = pack(buffers);
    for (size_t v = 0; v < buffer_of.size(); ++v)
        if (buffer_of[v] >= 0)
            plan.values[v].offset = start + buffers[static_cast<size_t>(buffer_of[v])].offset;

    plan.workspace_offset = start + plan.ledger.activations;
    plan.ledger.workspace = largest_scratch(graph, scratch_of);
    plan.ledger.total = plan.workspace_offset + plan.ledger.workspace;
    return plan;
}

Plan plan_memory(const Graph& graph, int threads) {
    return plan_memory(graph, [&](const Node& node) {
        return node.op->workspace_bytes(graph.types_of(node.inputs), threads);
    });
}

}  // namespace headroom
