#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/account/memory_ledger.h"
#include "panels/base/number_format.h"
#include "panels/memory/memory_plots.h"

namespace headroom {
namespace {

constexpr double kHalfWidth = 0.34;
constexpr double kRoom = 1.12;  ///< above the highest column, for its label

struct Part {
    const char* name;
    int color;  ///< of the palette
    int64_t bytes;
};

/// From the bottom up.
std::array<Part, 4> parts_of(const MemoryLedger& ledger) {
    return {{{"weights", 0, ledger.weights},
             {"KV cache", 1, ledger.cache},
             {"activations", 2, ledger.activations},
             {"workspace, inputs, results", 3, ledger.workspace + ledger.inputs_and_results}}};
}

/// A context beyond the model's positions is cut to them, and a note says so.
MemoryRequest request_of(const MemoryModel& model, const MemoryFigureSettings& settings,
                         std::vector<std::string>& notes) {
    Job job;
    job.model = model.model;
    int64_t context = settings.context > 0 ? settings.context : model.model.block_size;
    if (model.model.pos == Positions::kLearned && context > model.model.block_size) {
        context = model.model.block_size;
        notes.push_back(fmt::format("{} at its {} positions", model.name, format_integer(context)));
    }
    return {MemoryUse::kInference, job, settings.dtype, settings.batch_size, context};
}

std::string conditions(const MemoryFigureSettings& settings) {
    return fmt::format(
        "inference, {}{}, batch {}, {}", name_of(settings.dtype),
        settings.dtype == DType::kBF16 ? " (weights: float32 and a bfloat16 copy)" : "",
        settings.batch_size,
        settings.context > 0 ? format_integer(settings.context) + " tokens"
                             : "each model's block_size");
}

}  // namespace

void fill_breakdown_plot(const std::vector<MemoryModel>& models,
                         const MemoryFigureSettings& settings, MemoryView& view) {
    view.notes.insert(view.notes.begin(), conditions(settings));
    std::vector<MemoryLedger> ledgers;
    int64_t most = 0;
    for (const MemoryModel& model : models) {
        ledgers.push_back(memory_report(request_of(model, settings, view.notes)).predicted);
        most = std::max(most, ledgers.back().total);
    }
    const ByteUnit unit = byte_unit(static_cast<double>(most));
    for (size_t i = 0; i < models.size(); ++i) {
        view.figure.x.names.push_back(models[i].name);
        int64_t height = 0;
        for (const Part& part : parts_of(ledgers[i])) {
            const double lower = static_cast<double>(height) / unit.bytes;
            height += part.bytes;
            view.figure.bars.push_back({part.name, static_cast<double>(i + 1), kHalfWidth, lower,
                                        static_cast<double>(height) / unit.bytes, part.color, ""});
        }
        view.figure.bars.back().label = format_bytes(height);
    }
    const auto count = static_cast<double>(models.size());
    view.figure.x.column = "model";
    view.figure.x.range = {0.5, count + 0.5};
    view.figure.y = {fmt::format("memory ({})", unit.name),
                     "memory",
                     AxisScale::kLinear,
                     NumberFormat::kPlain,
                     {0, kRoom * static_cast<double>(most) / unit.bytes}};
    view.figure.legend = LegendPlace::kBelow;
}

}  // namespace headroom
