#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace headroom {

/// Bytes of one run by heading: the memory ledger. All are known before the run starts.
struct MemoryLedger {
    int64_t weights = 0;    ///< parameters and their working copies
    int64_t gradients = 0;  ///< of parameters
    int64_t optimizer = 0;  ///< moments
    int64_t inputs_and_results = 0;
    int64_t cache = 0;        ///< keys and values kept for decoding: packed, without padding
    int64_t activations = 0;  ///< values with a limited life, packed: their shared region
    int64_t workspace = 0;    ///< scratch of the kernels
    int64_t total = 0;        ///< the size of the one arena
};

/// Where every value of a graph lies in one arena, decided from its lifetime. Values with
/// disjoint lives share memory. Phases run one after the other, so that evaluation reuses the
/// activations of training.
struct Plan {
    struct Placement {
        int64_t offset = -1;  ///< from the start of the arena; -1 for a value that nobody uses
        int64_t bytes = 0;
        int first_node = 0;  ///< index of the first and the last node that touches it
        int last_node = 0;
    };
    std::vector<Placement> values;  ///< one per value of the graph
    int64_t workspace_offset = 0;
    MemoryLedger ledger;
};

/// Alignment of every value in the arena, in bytes (a cache line and an AVX-512 register).
inline constexpr int64_t kArenaAlignment = 64;

/// Scratch that the kernels of a node need, in bytes.
using ScratchOf = std::function<int64_t(const Node&)>;

/// Plans `graph` for a device whose kernels need this scratch.
Plan plan_memory(const Graph& graph, const ScratchOf& scratch_of);
/// For the CPU, with `threads` threads.
Plan plan_memory(const Graph& graph, int threads);

}  // namespace headroom
