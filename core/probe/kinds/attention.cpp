#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/digits.h"
#include "core/probe/attention_probe.h"
#include "core/probe/attention_record.h"
#include "core/probe/probe_kind.h"

namespace headroom::kinds::attention {
namespace {

/// The maps are too large to hold: they are made while they are written.
void write(const ProbeTask& task, ArrayFileWriter& file) {
    AttentionRecordOptions how;
    how.logits = task.options.get<bool>("logits");
    how.dtype = task.precision == DType::kF64 ? DType::kF64 : DType::kF32;
    how.progress = task.progress;
    run_passes(task, ProbeTaps::all_attention(task.weights.config()),
               [&](const ProbePass& pass, std::span<const int32_t>) {
                   write_attention_record(file, pass, 0, how);
               });
    if (task.images != nullptr) write_attention_picture(file, *task.images, 0);
}

std::string table(const std::filesystem::path& path) {
    const AttentionRecord record(path);  // as others will read it
    return fmt::format("{}: {} layers of {} heads over {} tokens{}, {} bytes\n", path.string(),
                       record.n_layer(), record.n_head(), record.seq_len(),
                       record.has_logits() ? ", with logits" : "",
                       grouped_digits(static_cast<int64_t>(std::filesystem::file_size(path))));
}

void report(const std::filesystem::path& path, nlohmann::ordered_json& document) {
    const AttentionRecord record(path);
    document["n_layer"] = record.n_layer();
    document["n_head"] = record.n_head();
    document["levels"] = record.levels();
    document["logits"] = record.has_logits();
    document["bytes"] = std::filesystem::file_size(path);
}

ProbeFindings measure(const ProbeTask& task) {
    return {[&task](ArrayFileWriter& file) { write(task, file); },
            [path = task.out] { return table(path); },
            [path = task.out](nlohmann::ordered_json& document) { report(path, document); }};
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "attention",
             .help = "The attention maps of all layers and heads over one sequence",
             .tokens = ProbeTokenUse::kOneSequence,
             .options = {{.name = "logits",
                          .help = "Keep the scores before the softmax, too",
                          .standard = false}},
             .of_images = true},
            ProbeTaps::all_attention,
            measure};
}

}  // namespace headroom::kinds::attention
