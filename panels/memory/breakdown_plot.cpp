#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/account/memory_ledger.h"
#include "panels/base/number_format.h"
#include "panels/memory/memory_plots.h"

namespace headroom {
namespace {

constexpr double kHalfWidth = 0.34;
constexpr double kGap = 0.015;       ///< on either side of the line between predicted and measured
constexpr double kLabelRoom = 1.12;  ///< above the highest column, for its label

struct Part {
    const char* name;
    int color;  ///< of part_color()
    int64_t bytes;
};

/// From the bottom up.
std::array<Part, 6> parts_of(const MemoryLedger& ledger) {
    return {{{"weights", 0, ledger.weights},
             {"gradients", 4, ledger.gradients},
             {"optimizer state", 5, ledger.optimizer},
             {"KV cache", 1, ledger.cache},
             {"activations", 2, ledger.activations},
             {"workspace, inputs, results", 3, ledger.workspace + ledger.inputs_and_results}}};
}

/// A column of the headings that hold something.
void stack(const MemoryLedger& ledger, const char* role, double x, double offset, double half_width,
           const ByteUnit& unit, Figure& figure) {
    int64_t height = 0;
    for (const Part& part : parts_of(ledger)) {
        if (part.bytes == 0) continue;
        const double lower = static_cast<double>(height) / unit.bytes;
        height += part.bytes;
        figure.bars.push_back({part.name, x, half_width, lower,
                               static_cast<double>(height) / unit.bytes, part.color, "", role, true,
                               false, offset});
    }
    if (height > 0) figure.bars.back().label = format_bytes(height, unit);
}

}  // namespace

void fill_breakdown_plot(const std::vector<MemoryModel>& models,
                         const MemoryFigureSettings& settings, MemoryView& view) {
    view.notes.insert(view.notes.begin(), conditions_text(models, settings));
    std::vector<MemoryLedger> ledgers;
    int64_t most = 0;
    for (const MemoryModel& model : models) {
        ledgers.push_back(memory_report(memory_question(model, settings, view.notes)).predicted);
        most = std::max(most, ledgers.back().total);
        if (model.measured) most = std::max(most, model.measured->held.total);
    }
    const bool any_measured =
        std::any_of(models.begin(), models.end(),
                    [](const MemoryModel& model) { return model.measured != nullptr; });
    if (any_measured) view.notes.emplace_back("left: predicted, right: measured");
    const ByteUnit unit = byte_unit(static_cast<double>(most));
    for (size_t i = 0; i < models.size(); ++i) {
        view.figure.x.names.push_back(models[i].name);
        const double x = static_cast<double>(i + 1);
        if (!any_measured) {
            stack(ledgers[i], "bar", x, 0, kHalfWidth, unit, view.figure);
            continue;
        }
        stack(ledgers[i], "predicted", x, -kHalfWidth / 2 - kGap, kHalfWidth / 2, unit,
              view.figure);
        if (models[i].measured)
            stack(models[i].measured->held, "measured", x, kHalfWidth / 2 + kGap, kHalfWidth / 2,
                  unit, view.figure);
    }
    const auto count = static_cast<double>(models.size());
    view.figure.x.column = "model";
    view.figure.x.range = {0.5, count + 0.5};
    view.figure.y = {fmt::format("memory ({})", unit.name),
                     "memory",
                     AxisScale::kLinear,
                     NumberFormat::kPlain,
                     {0, kLabelRoom * static_cast<double>(most) / unit.bytes}};
    view.figure.legend = LegendPlace::kBelow;
}

}  // namespace headroom
