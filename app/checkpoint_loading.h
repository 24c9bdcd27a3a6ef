#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/study/run_folder.h"
#include "core/weights/checkpoint_weights.h"
#include "datasets/tokenizers/tokenizer.h"

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

/// The checkpoints of a run, by their step. UserError, with the reason, where there are none.
std::vector<CheckpointFiles> checkpoints_of(const RunFolder& run);

/// `path`, or for a folder of a run or of checkpoints the newest checkpoint there, which a note on
/// standard error then names. UserError if the folder has none yet.
std::filesystem::path checkpoint_file(const std::filesystem::path& path);

/// Opens it and prints its notes, such as keys that were assumed, on standard error.
CheckpointWeights open_checkpoint(const CheckpointArguments& arguments);

/// UserError if `out` is a file that `checkpoint` is read from: itself, or one in its folder.
void check_not_checkpoint(const std::filesystem::path& out,
                          const std::filesystem::path& checkpoint);

/// The spelling of the tokenizer.json, or else the SentencePiece tokenizer.model, or else GPT-2's
/// vocab.json and merges.txt, that lie beside a checkpoint of another tool; "" if there is none.
std::string tokenizer_beside(const std::filesystem::path& checkpoint);

/// The tokenizer that the checkpoint was trained with, or where it names none the one that is given
/// or lies beside it. Null if there is none and `given`, the spelling of --tokenizer, is "".
/// UserError if it names another than the one that is given.
std::shared_ptr<const Tokenizer> checkpoint_tokenizer(const WeightSource& weights,
                                                      const std::string& given);
/// The same without one that is given; null also where it cannot be read.
std::shared_ptr<const Tokenizer> readable_tokenizer(const WeightSource& weights);

}  // namespace headroom
