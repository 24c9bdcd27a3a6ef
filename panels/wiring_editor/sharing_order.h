#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/wiring/wiring_edit.h"

namespace headroom {

/// In which order `headroom probe sharing` lets layers share: those whose caches differ most first
/// ([KVSHARER] Yang et al. 2024, arXiv:2410.18517).
struct SharingOrder {
    struct Step {
        int layer = 0, source = 0;  ///< the layer reads keys and values of the source from now on
        double loss = 0;            ///< with all steps up to this one, nats per token
    };
    std::string run;
    int64_t step = -1;  ///< of training, -1 = unknown
    int n_layer = 0;
    double loss = 0;  ///< as the model is
    std::vector<Step> steps;
};

/// UserError if the file is no such probe.
SharingOrder read_sharing_order(const std::filesystem::path& file);

/// For each layer the one that it reads after the first `count` steps: whoever read a layer that
/// came to share reads on from its source.
std::vector<int> shared_sources(const SharingOrder& order, size_t count);

/// The same as edits of a table: keys and values of whole layers, from the lowest up.
std::vector<WiringEdit> sharing_edits(const SharingOrder& order, size_t count, int n_kv_head);

}  // namespace headroom
