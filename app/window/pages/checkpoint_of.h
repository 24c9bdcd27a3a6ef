#pragma once

#include <filesystem>
#include <string>

#include "core/weights/checkpoint_weights.h"
#include "panels/base/study_look.h"

namespace headroom {

struct NamedCheckpoint {
    std::string name;
    std::filesystem::path path;
};

/// The newest of the focused run; an empty path where it has none.
inline NamedCheckpoint newest_checkpoint(const StudyLook& look) {
    const RunPointer run = look.focused();
    if (!run || run->checkpoints.empty()) return {};
    const CheckpointFiles& files = run->checkpoints.back();
    return {run->name + ", step " + std::to_string(files.step), files.weights};
}

/// What the file says its model is. UserError.
inline ModelConfig model_of(const NamedCheckpoint& checkpoint) {
    return open_weights(checkpoint.path)->config();
}

}  // namespace headroom
