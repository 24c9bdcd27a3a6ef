#include "core/checkpoint/checkpoint.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/base/build_info.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "headroom-checkpoint/1";
constexpr std::string_view kWeightsEnd = ".safetensors";
constexpr std::string_view kOptimizerEnd = ".optim.safetensors";

std::optional<int64_t> parse_count(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

/// Takes a whole number out of `entries`; none if it is not there.
std::optional<int64_t> take_count(std::map<std::string, std::string, std::less<>>& entries,
                                  const std::string& key, const fs::path& path) {
    const auto node = entries.extract(key);
    if (node.empty()) return std::nullopt;
    const std::optional<int64_t> value = parse_count(node.mapped());
    if (!value)
        throw UserError(fmt::format("{} has \"{}\" as {} in its metadata", path.string(),
                                    node.mapped().substr(0, 40), key),
                        "write a whole number there");
    return value;
}

/// The step of a file named step-00000500.safetensors.
std::optional<int64_t> step_of_name(const std::string& name) {
    constexpr std::string_view kBegin = "step-";
    if (!name.starts_with(kBegin) || !name.ends_with(kWeightsEnd)) return std::nullopt;
    return parse_count(std::string_view(name).substr(
        kBegin.size(), name.size() - kBegin.size() - kWeightsEnd.size()));
}

void remove_quietly(const fs::path& path) {
    std::error_code ignored;
    fs::remove(path, ignored);
}

}  // namespace

Checkpoint Checkpoint::open(const fs::path& path) {
    Checkpoint checkpoint{SafetensorsFile::open(path), {}};
    CheckpointMetadata& metadata = checkpoint.metadata;
    metadata.other = checkpoint.file.metadata();
    const auto format = metadata.other.extract("format");
    // Other tools write their own name there ("pt"); only another version of ours is refused.
    if (!format.empty() && format.mapped() != kFormat &&
        format.mapped().starts_with("headroom-checkpoint/"))
        throw UserError(
            fmt::format("{} has the format \"{}\"", path.string(), format.mapped().substr(0, 40)),
            fmt::format("this program reads {}: use the newer one that wrote it", kFormat));
    auto config = metadata.other.extract("config");
    if (config.empty())
        throw UserError(
            fmt::format("{} is not a checkpoint: its metadata have no \"config\"", path.string()),
            "import weights of other tools with headroom convert");
    metadata.other.extract("program");  // what wrote it; what writes it anew names itself
    metadata.config_json = std::move(config.mapped());
    metadata.step = take_count(metadata.other, "step", path);
    metadata.tokens = take_count(metadata.other, "tokens", path);
    return checkpoint;
}

std::map<std::string, std::string, std::less<>> checkpoint_entries(
    const CheckpointMetadata& metadata) {
    std::map<std::string, std::string, std::less<>> entries = metadata.other;
    entries["format"] = kFormat;
    entries["program"] = program_version();
    entries["config"] = metadata.config_json;
    if (metadata.step) entries["step"] = fmt::to_string(*metadata.step);
    if (metadata.tokens) entries["tokens"] = fmt::to_string(*metadata.tokens);
    return entries;
}

void write_checkpoint(const fs::path& path, const CheckpointMetadata& metadata,
                      std::span<const TensorToWrite> tensors) {
    write_safetensors(path, checkpoint_entries(metadata), tensors);
}

CheckpointFiles checkpoint_files(const fs::path& checkpoints, int64_t step) {
    const std::string name = fmt::format("step-{:08}", step);
    return {step, checkpoints / fmt::format("{}{}", name, kWeightsEnd),
            checkpoints / fmt::format("{}{}", name, kOptimizerEnd)};
}

void write_training_checkpoint(const fs::path& checkpoints, const CheckpointMetadata& metadata,
                               std::span<const TensorToWrite> weights,
                               std::span<const TensorToWrite> optimizer) {
    CHECK(metadata.step.has_value(), "a training checkpoint has a step");
    const CheckpointFiles files = checkpoint_files(checkpoints, *metadata.step);
    write_checkpoint(files.optimizer, metadata, optimizer);
    try {
        write_checkpoint(files.weights, metadata, weights);
    } catch (...) {
        std::error_code ignored;
        if (!fs::exists(files.weights, ignored)) remove_quietly(files.optimizer);  // half of one
        throw;
    }
}

std::vector<CheckpointFiles> list_checkpoints(const fs::path& checkpoints) {
    std::vector<CheckpointFiles> found;
    for (const fs::path& entry : entries_of(checkpoints)) {
        const std::optional<int64_t> step = step_of_name(entry.filename().string());
        if (!step) continue;
        const CheckpointFiles files = checkpoint_files(checkpoints, *step);
        if (files.weights == entry) found.push_back(files);
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.step < b.step; });
    return found;
}

std::string resume_problem(const CheckpointFiles& files) {
    try {
        for (const fs::path& file : {files.weights, files.optimizer})
            if (Checkpoint::open(file).metadata.step != files.step)
                return fmt::format("{} is not of step {}", file.string(), files.step);
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

std::optional<CheckpointFiles> newest_checkpoint(const fs::path& checkpoints, int64_t max_step) {
    std::vector<CheckpointFiles> found = list_checkpoints(checkpoints);
    for (auto files = found.rbegin(); files != found.rend(); ++files)
        if (files->step <= max_step && resume_problem(*files).empty()) return *files;
    return std::nullopt;
}

/// The name of the weights beside an optimizer's file; any other name as it is.
static std::string weights_beside(std::string name) {
    if (name.ends_with(kOptimizerEnd))
        name.replace(name.size() - kOptimizerEnd.size(), kOptimizerEnd.size(), kWeightsEnd);
    return name;
}

/// Moments whose weights were pruned, or not written yet, when the program was killed.
static void remove_halves(const fs::path& checkpoints) {
    std::error_code ignored;
    for (const fs::path& entry : entries_of(checkpoints)) {
        const std::string name = weights_beside(entry.filename().string());
        if (name == entry.filename()) continue;
        if (step_of_name(name) && !fs::exists(checkpoints / name, ignored)) remove_quietly(entry);
    }
}

void prune_checkpoints(const fs::path& checkpoints, int64_t keep) {
    // Whoever writes something else there may be at it: a surgery, with --out.
    remove_stale_temporaries(checkpoints, [](std::string_view name) {
        return step_of_name(weights_beside(std::string(name))).has_value();
    });
    remove_halves(checkpoints);
    const std::vector<CheckpointFiles> found = list_checkpoints(checkpoints);
    if (keep <= 0 || found.size() <= static_cast<size_t>(keep)) return;
    for (size_t i = 0; i < found.size() - static_cast<size_t>(keep); ++i) {
        remove_quietly(found[i].weights);  // first: without weights a checkpoint is unfinished
        remove_quietly(found[i].optimizer);
    }
}

}  // namespace headroom
