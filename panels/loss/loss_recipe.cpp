#include "panels/loss/loss_recipe.h"

#include <algorithm>

#include <fmt/format.h>

#include "panels/loss/loss_view.h"

namespace headroom {

/// To milliseconds of a time of day, which takes twelve digits.
static std::string range_text(const Range& range) {
    return fmt::format("{:.13g}:{:.13g}", range.lower, range.upper);
}

StudyFigure loss_recipe(std::span<const RunPointer> runs, const LossSettings& settings) {
    StudyFigure figure{"loss", "loss", {}, {}};
    const auto reference = std::find_if(runs.begin(), runs.end(), [&](const RunPointer& run) {
        return run->id == settings.baseline;
    });
    // Of the reference all seeds: each of the others is compared with its own.
    const std::string compared = reference == runs.end() ? "" : (*reference)->group;
    for (const RunPointer& run : runs)
        if (!is_hidden(*run, settings) || (!compared.empty() && run->group == compared))
            figure.runs.push_back(run->id);
    auto& options = figure.options;
    options["x"] = name_of(settings.x);
    options["smooth"] = fmt::format("{}", settings.smoothing);
    if (!settings.metric.empty()) options["metric"] = settings.metric;
    if (!settings.train || !settings.val) options["series"] = settings.train ? "train" : "val";
    if (settings.smooth_val) options["smooth-val"] = "true";
    if (!settings.raw_behind) options["no-raw"] = "true";
    if (!settings.legend) options["no-legend"] = "true";
    if (settings.log_x) options["logx"] = "true";
    if (settings.log_y) options["logy"] = "true";
    if (settings.ignore_outliers) options["ignore-outliers"] = "true";
    if (settings.x_range) options["x-range"] = range_text(*settings.x_range);
    if (settings.y_range) options["y-range"] = range_text(*settings.y_range);
    if (settings.group_seeds) options["band"] = name_of(settings.band);
    if (!settings.baseline.empty()) {
        options["relative-to"] = settings.baseline;
        options["unit"] = name_of(settings.unit);
    }
    return figure;
}

}  // namespace headroom
