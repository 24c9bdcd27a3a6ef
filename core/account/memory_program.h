#pragma once

#include <vector>

#include "core/account/memory_ledger.h"
#include "core/graph/graph.h"
#include "core/model/decode_caches.h"

namespace headroom {

/// Private to core/account: what a request would run.
struct MemoryProgram {
    Graph graph;
    std::vector<Phase> phases;   ///< of one pass, in their order
    std::vector<ValueId> cache;  ///< the values of cache_buffers(), in its order
};

/// The same graph as a TrainingSession, a DecodingSession or, for an encoder, one inference pass
/// builds for these sizes.
MemoryProgram memory_program(const MemoryRequest& request);

}  // namespace headroom
