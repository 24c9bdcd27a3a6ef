#include "app/checkpoint_loading.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace headroom {

void add_checkpoint_options(CLI::App& command, CheckpointArguments& arguments) {
    command
        .add_option("--checkpoint", arguments.path,
                    "Checkpoint file; or a safetensors file, index or folder of nanoGPT, Hugging "
                    "Face GPT-2 or Llama")
        ->required();
    command
        .add_option("--set", arguments.options.sets,
                    "model.KEY=VALUE: what another tool's files leave open")
        ->take_all()
        ->allow_extra_args(false);
}

ModelWeights open_checkpoint(const CheckpointArguments& arguments) {
    ModelWeights weights = ModelWeights::open(arguments.path, arguments.options);
    for (const std::string& note : weights.notes()) fmt::print(stderr, "note: {}\n", note);
    return weights;
}

}  // namespace headroom
