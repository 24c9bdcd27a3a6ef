#pragma once

#include <string>

#include "core/model/model_weights.h"

namespace CLI {
class App;
}

namespace headroom {

/// A checkpoint as a command is given it.
struct CheckpointArguments {
    std::string path;
    OpenWeightsOptions options;
};

/// Adds --checkpoint (ours or another tool's) and --set to a command.
void add_checkpoint_options(CLI::App& command, CheckpointArguments& arguments);

/// Opens it and prints its notes, such as keys that were assumed, on standard error.
ModelWeights open_checkpoint(const CheckpointArguments& arguments);

}  // namespace headroom
