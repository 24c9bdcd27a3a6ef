#include "app/checkpoint_loading.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/eprint.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/study/run_job.h"
#include "core/weights/interop/layout.h"

namespace headroom {

void add_checkpoint_options(CLI::App& command, CheckpointArguments& arguments) {
    command
        .add_option(
            "--checkpoint", arguments.path,
            "Checkpoint file, or a run's folder; or a safetensors file, index or folder of " +
                layout_titles())
        ->required();
    command
        .add_option("--set", arguments.options.sets,
                    "model.KEY=VALUE: what another tool's files leave open")
        ->take_all()
        ->allow_extra_args(false);
}

std::vector<CheckpointFiles> checkpoints_of(const RunFolder& run) {
    std::vector<CheckpointFiles> all = list_checkpoints(run.checkpoints());
    if (!all.empty()) return all;
    if (!is_run(run))
        throw UserError(fmt::format("{} is no run's folder: it has neither job.json nor log.h5",
                                    run.root.string()),
                        "give STUDY_DIR/runs/RUN");
    if (is_imported(run))
        throw UserError(run.root.string() + " was imported: it has a log, but no checkpoints",
                        "name a run that was trained here");
    throw UserError(run.root.string() + " has no checkpoint yet",
                    "wait for train.checkpoint_every steps, or name another run");
}

std::filesystem::path checkpoint_file(const std::filesystem::path& path) {
    const RunFolder run{path};
    std::error_code ignored;
    const bool is_run = std::filesystem::is_directory(run.checkpoints(), ignored);
    if (!is_run && !std::filesystem::is_directory(path, ignored)) return path;
    const auto all = is_run ? checkpoints_of(run) : list_checkpoints(path);
    if (all.empty()) return path;  // perhaps a folder of another tool
    eprint("note: reading {}\n", all.back().weights.string());
    return all.back().weights;
}

void check_not_checkpoint(const std::filesystem::path& out,
                          const std::filesystem::path& checkpoint) {
    check_not_source(out, checkpoint);
    const bool is_index = checkpoint.string().ends_with(".index.json");
    for (const auto& entry : entries_of(is_index ? checkpoint.parent_path() : checkpoint))
        check_not_source(out, entry);
}

std::string tokenizer_beside(const std::filesystem::path& checkpoint) {
    std::error_code ignored;
    const bool is_folder = std::filesystem::is_directory(checkpoint, ignored);
    const std::filesystem::path folder = is_folder ? checkpoint : checkpoint.parent_path();
    for (const auto& [name, kind] :
         {std::pair("tokenizer.json", "json"), {"tokenizer.model", "sp"}})
        if (std::filesystem::is_regular_file(folder / name, ignored))
            return fmt::format("{}:{}", kind, (folder / name).string());
    const bool is_gpt2 = std::filesystem::is_regular_file(folder / "vocab.json", ignored) &&
                         std::filesystem::is_regular_file(folder / "merges.txt", ignored);
    return is_gpt2 ? "gpt2:" + folder.string() : "";
}

CheckpointWeights open_checkpoint(const CheckpointArguments& arguments) {
    CheckpointWeights weights =
        CheckpointWeights::open(checkpoint_file(arguments.path), arguments.options);
    for (const std::string& note : weights.notes()) eprint("note: {}\n", note);
    return weights;
}

std::shared_ptr<const Tokenizer> checkpoint_tokenizer(const WeightSource& weights,
                                                      const std::string& given) {
    const auto& entries = weights.metadata().other;
    const auto found = entries.find("tokenizer");
    if (found == entries.end()) {
        const std::string spec = given.empty() ? tokenizer_beside(weights.title()) : given;
        return spec.empty() ? nullptr : open_tokenizer(spec, "");
    }
    std::shared_ptr<const Tokenizer> tokenizer;
    try {
        tokenizer = tokenizer_from_json(parse_json(found->second, "tokenizer"));
    } catch (const UserError& error) {
        throw UserError(fmt::format("{}: {}", weights.title(), error.what()));
    }
    if (!given.empty() && given != tokenizer->name())
        throw UserError(fmt::format("--tokenizer {}: {} was trained with {}", given,
                                    weights.title(), tokenizer->name()),
                        "leave --tokenizer out");
    return tokenizer;
}

std::shared_ptr<const Tokenizer> readable_tokenizer(const WeightSource& weights) {
    try {
        return checkpoint_tokenizer(weights, "");
    } catch (const UserError&) {
        return nullptr;
    }
}

}  // namespace headroom
