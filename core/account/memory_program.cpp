#include "core/account/memory_program.h"

#include <algorithm>

#include "core/device/device.h"
#include "core/model/decode_graph.h"
#include "core/model/gradient_norm.h"

namespace headroom {
namespace {

/// Kinds in the order of their enumerators, by layer.
std::vector<ValueId> in_order(const DecodeCaches& caches, int n_layer) {
    std::vector<ValueId> ids;
    for (size_t layer = 0; layer < static_cast<size_t>(n_layer); ++layer)
        for (const auto* list : {&caches.keys, &caches.values, &caches.latents, &caches.ropes})
            if (layer < list->size() && (*list)[layer] != kNoValue) ids.push_back((*list)[layer]);
    return ids;
}

MemoryProgram decoding_program(const MemoryRequest& request) {
    DecodeShape shape{request.batch_size, request.context};
    shape.chunk = std::min(kPrefillChunk, shape.capacity);
    DecodeGraph decode = build_decode_graph(request.job.model, request.precision, shape);
    const std::vector<ValueId> cache = in_order(decode.caches, request.job.model.n_layer);
    return {std::move(decode.graph), {Phase::kPrepare, Phase::kForward, Phase::kDecode}, cache};
}

}  // namespace

MemoryProgram memory_program(const MemoryRequest& request) {
    if (request.use == MemoryUse::kTraining) {
        return {build_cpu_training_graph(trained_job(request)).graph,
                {Phase::kPrepare, Phase::kForward, Phase::kBackward, Phase::kUpdate},
                {}};
    }
    if (request.job.model.causal) return decoding_program(request);
    return {build_inference_graph(request.job.model, request.precision, request.batch_size,
                                  request.context)
                .graph,
            {Phase::kPrepare, Phase::kForward},
            {}};
}

}  // namespace headroom
