#include "panels/memory/memory_figure.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/config/architectures.h"
#include "core/config/usual_vocabulary.h"
#include "panels/base/number_format.h"
#include "panels/memory/memory_plots.h"

namespace headroom {
namespace {

/// The models that can be drawn, their vocabularies filled in; notes say what was done.
std::vector<MemoryModel> drawable(const std::vector<MemoryModel>& models, MemoryPlot plot,
                                  std::vector<std::string>& notes) {
    std::vector<MemoryModel> kept;
    for (const MemoryModel& model : models) {
        if (plot != MemoryPlot::kBreakdown && !model.model.causal) {
            notes.push_back(model.name + " has no mask and keeps no cache");
            continue;
        }
        kept.push_back(model);
        int64_t& vocab_size = kept.back().model.vocab_size;
        if (vocab_size > 0) continue;
        vocab_size = usual_vocabulary(model.model);
        if (plot != MemoryPlot::kCache)
            notes.push_back(
                fmt::format("{} counted with a vocabulary of {}", model.name, vocab_size));
    }
    return kept;
}

}  // namespace

std::string variant_name(const ModelConfig& model) {
    const ArchitecturePreset* known = find_architecture(model.arch);
    std::string name = known != nullptr ? known->title : model.arch;
    if (model.custom_wiring) name += ", own wiring";
    if (model.n_kv_head < model.n_head)
        name += fmt::format(", groups of {}", model.n_head / model.n_kv_head);
    return name;
}

MemoryRequest memory_question(const MemoryModel& model, const MemoryFigureSettings& settings,
                              std::vector<std::string>& notes) {
    Job job = model.job ? *model.job : Job{};
    job.model = model.model;
    if (job.model.vocab_size == 0) job.model.vocab_size = usual_vocabulary(job.model);
    MemoryRequest request = memory_request(job, settings.use);
    request.precision = settings.dtype;
    if (settings.batch_size > 0) request.batch_size = settings.batch_size;
    if (settings.context > 0) request.context = settings.context;
    const bool bounded =
        settings.use == MemoryUse::kTraining || model.model.pos == Positions::kLearned;
    if (bounded && request.context > model.model.block_size) {
        request.context = model.model.block_size;
        notes.push_back(
            fmt::format("{} at its {} positions", model.name, format_integer(request.context)));
    }
    return request;
}

std::string conditions_text(const MemoryFigureSettings& settings) {
    const bool training = settings.use == MemoryUse::kTraining;
    std::string text = fmt::format("{}, {}{}", name_of(settings.use), name_of(settings.dtype),
                                   weights_note(settings.dtype));
    if (training && settings.batch_size == 0 && settings.context == 0)
        return text + ", as each job says";
    text += training && settings.batch_size == 0
                ? ", each job's batch"
                : fmt::format(", batch {}", std::max<int64_t>(settings.batch_size, 1));
    if (settings.context > 0) return text + ", " + format_integer(settings.context) + " tokens";
    return text + (training ? ", each job's seq_len" : ", each model's greatest seq_len");
}

std::string conditions_text(const std::vector<MemoryModel>& models,
                            const MemoryFigureSettings& settings) {
    MemoryFigureSettings counted = settings;
    if (settings.context > 0 || settings.use == MemoryUse::kTraining || models.empty())
        return conditions_text(settings);
    counted.context = models.front().model.block_size;
    const bool alike = std::all_of(models.begin(), models.end(), [&](const MemoryModel& each) {
        return each.model.block_size == counted.context;
    });
    return conditions_text(alike ? counted : settings);
}

std::string_view name_of(MemoryPlot plot) {
    switch (plot) {
        case MemoryPlot::kCache:
            return "cache";
        case MemoryPlot::kBytesPerToken:
            return "bytes-per-token";
        case MemoryPlot::kBreakdown:
            return "breakdown";
        case MemoryPlot::kTreemap:
            return "treemap";
    }
    return "";
}

MemoryView build_memory(const std::vector<MemoryModel>& models,
                        const MemoryFigureSettings& settings) {
    MemoryView view;
    const std::vector<MemoryModel> kept = drawable(models, settings.plot, view.notes);
    view.figure.empty_text = kept.empty() ? "No model with a cache" : "";
    if (!kept.empty()) {
        if (settings.plot == MemoryPlot::kCache)
            fill_cache_plot(kept, settings, view);
        else if (settings.plot == MemoryPlot::kBytesPerToken)
            fill_bytes_per_token_plot(kept, settings, view);
        else
            fill_breakdown_plot(kept, settings, view);
    }
    view.figure.footnote = fmt::format("{}", fmt::join(view.notes, " · "));
    return view;
}

}  // namespace headroom
