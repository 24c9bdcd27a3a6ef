#include "panels/details/checkpoint_view.h"

#include <map>

#include <fmt/format.h>

#include "core/account/parameter_count.h"
#include "core/base/digits.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

std::string format_title(const std::string& format) {
    for (const Layout& layout : layouts())
        if (layout.name == format) return std::string(layout.title);
    return "Headroom";
}

/// "F32", or "BF16 (290 tensors), F32 (1)".
std::string stored_types(const CheckpointWeights& weights) {
    std::map<std::string_view, int> counts;
    for (const ParameterSpec& spec : weights.specs()) ++counts[name_of(weights.type(spec.name))];
    if (counts.size() == 1) return std::string(counts.begin()->first);
    std::string text;
    for (const auto& [type, count] : counts)
        text += fmt::format("{}{} ({} tensors)", text.empty() ? "" : ", ", type, count);
    return text;
}

DetailSection file_section(const CheckpointWeights& weights) {
    int64_t bytes = 0;
    for (const ParameterSpec& spec : weights.specs())
        bytes += spec.count() * static_cast<int64_t>(size_of(weights.type(spec.name)));
    DetailSection section{"Checkpoint",
                          {{"path", weights.path().string()},
                           {"written by", format_title(weights.format())},
                           {"weights", format_bytes(bytes)},
                           {"stored as", stored_types(weights)}}};
    const CheckpointMetadata& metadata = weights.metadata();
    if (metadata.step) section.lines.push_back({"step", format_integer(*metadata.step)});
    if (metadata.tokens) section.lines.push_back({"tokens", format_integer(*metadata.tokens)});
    for (const std::string& note : weights.notes()) section.lines.push_back({"note", note});
    return section;
}

}  // namespace

CheckpointView build_checkpoint_view(const CheckpointWeights& weights) {
    const ModelConfig& model = weights.config();
    CheckpointView view;
    view.title = std::filesystem::absolute(weights.path()).filename().string();
    view.headline = fmt::format("{}, {} layers, {} parameters", format_title(weights.format()),
                                model.n_layer, grouped_digits(count_parameters(model).total));
    view.notes = weights.notes();
    view.sections = {file_section(weights), build_counts(model, model.block_size)};
    Job job;
    job.model = model;
    for (DetailSection& section : build_job_keys(job))
        if (section.title == "Model") view.sections.push_back(std::move(section));
    view.wiring = build_wiring_view(model, DType::kBF16, view.title);
    view.architecture = build_architecture(model, view.title);
    return view;
}

}  // namespace headroom
