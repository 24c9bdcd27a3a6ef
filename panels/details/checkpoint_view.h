#pragma once

#include <string>
#include <vector>

#include "core/weights/checkpoint_weights.h"
#include "panels/architecture/architecture_view.h"
#include "panels/details/run_details.h"
#include "panels/wiring/wiring_view.h"

namespace headroom {

/// What a checkpoint, ours or another tool's, says of itself. Pure data.
struct CheckpointView {
    std::string title;     ///< the file's or the folder's name
    std::string headline;  ///< "Hugging Face GPT-2, 12 layers, 124,439,808 parameters"
    std::vector<std::string> notes;
    std::vector<DetailSection> sections;
    WiringView wiring;
    ArchitectureView architecture;
};

CheckpointView build_checkpoint_view(const CheckpointWeights& weights);

}  // namespace headroom
