#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "panels/base/number_format.h"
#include "panels/figure/palette.h"
#include "panels/memory/memory_plots.h"

namespace headroom {
namespace {

constexpr double kTopRoom = 1.05;  ///< of a linear axis beyond the greatest value
constexpr double kLogRoom = 1.25;
constexpr double kEndRoom = 1.02;  ///< so that the last symbol is whole
constexpr int kPoints = 8;

/// Lengths at which a line has points: round shares of the axis, or powers of two.
std::vector<double> lengths(double longest, double end, bool log) {
    std::vector<double> at;
    if (log)
        for (double length = 16; length < longest; length *= 2) at.push_back(length);
    else
        for (int i = 0; i <= kPoints && end * i / kPoints < longest; ++i)
            at.push_back(end * i / kPoints);
    at.push_back(longest);
    return at;
}

double axis_end(const std::vector<MemoryModel>& models, const MemoryFigureSettings& settings) {
    if (settings.context > 0) return static_cast<double>(settings.context);
    int64_t longest = 1;
    for (const MemoryModel& model : models) longest = std::max(longest, model.model.block_size);
    return static_cast<double>(longest);
}

double cache_per_token(const MemoryModel& model, const MemoryFigureSettings& settings) {
    return static_cast<double>(count_cache(model.model).bytes_per_token(settings.dtype));
}

FigureSeries line(const std::string& name, int color, CurveData data) {
    return {name, name, "predicted", std::move(data), run_style(color), name};
}

/// Of each model: its own, or one that no other has.
std::vector<int> line_colors(const std::vector<MemoryModel>& models) {
    std::set<int> taken;
    for (const MemoryModel& model : models)
        if (model.color) taken.insert(*model.color);
    std::vector<int> colors;
    int free = 0;
    for (const MemoryModel& model : models) {
        while (!model.color && taken.contains(free)) ++free;
        colors.push_back(model.color.value_or(free));
        taken.insert(colors.back());
    }
    return colors;
}

Range axis_range(double least, double greatest, bool log) {
    if (!log) return {0, greatest * kTopRoom};
    return {least / kLogRoom, greatest * kLogRoom};
}

struct Dot {
    double params, bytes;
};

/// Models of one architecture, the smaller first.
struct DotLine {
    std::string name;
    int color = 0;  ///< of its first model
    std::vector<Dot> dots;
};

/// In the order in which they are named.
std::vector<DotLine> lines_of_dots(const std::vector<MemoryModel>& models,
                                   const MemoryFigureSettings& settings) {
    const std::vector<int> colors = line_colors(models);
    std::vector<DotLine> lines;
    for (size_t i = 0; i < models.size(); ++i) {
        const std::string name = variant_name(models[i].model);
        auto at = std::find_if(lines.begin(), lines.end(),
                               [&](const DotLine& known) { return known.name == name; });
        if (at == lines.end()) at = lines.insert(at, {name, colors[i], {}});
        at->dots.push_back({static_cast<double>(count_parameters(models[i].model).total),
                            cache_per_token(models[i], settings)});
    }
    for (DotLine& one : lines)
        std::sort(one.dots.begin(), one.dots.end(),
                  [](const Dot& a, const Dot& b) { return a.params < b.params; });
    return lines;
}

}  // namespace

void fill_cache_plot(const std::vector<MemoryModel>& models, const MemoryFigureSettings& settings,
                     MemoryView& view) {
    const double end = axis_end(models, settings),
                 batch = static_cast<double>(std::max<int64_t>(settings.batch_size, 1));
    const std::vector<int> colors = line_colors(models);
    double most = 0, least = HUGE_VAL;
    for (const MemoryModel& model : models) {
        most = std::max(most, cache_per_token(model, settings) * batch * end);
        least = std::min(least, cache_per_token(model, settings) * batch * 16);
    }
    const ByteUnit unit = byte_unit(most);
    for (size_t i = 0; i < models.size(); ++i) {
        const ModelConfig& model = models[i].model;
        const bool bounded = model.pos == Positions::kLearned;
        const double last = bounded ? std::min(end, static_cast<double>(model.block_size)) : end;
        if (last < end)
            view.notes.push_back(fmt::format("{} has {} positions", models[i].name,
                                             format_integer(model.block_size)));
        std::vector<double> x = lengths(last, end, settings.log_axes), y;
        for (const double length : x)
            y.push_back(cache_per_token(models[i], settings) * batch * length / unit.bytes);
        view.figure.series.push_back(
            line(models[i].name, colors[i], make_curve(std::move(x), std::move(y))));
    }
    const AxisScale scale = settings.log_axes ? AxisScale::kLog : AxisScale::kLinear;
    view.figure.x = {"sequence length (tokens)", "tokens", scale, NumberFormat::kPlain,
                     settings.log_axes ? Range{16, end * kLogRoom} : Range{0, end * kEndRoom}};
    view.figure.y = {fmt::format("KV cache ({})", unit.name), "cache", scale, NumberFormat::kPlain,
                     axis_range(least / unit.bytes, most / unit.bytes, settings.log_axes)};
    view.figure.legend = LegendPlace::kTopLeft;
    view.notes.insert(view.notes.begin(),
                      fmt::format("cache in {}, batch {}", name_of(settings.dtype), batch));
}

void fill_bytes_per_token_plot(const std::vector<MemoryModel>& models,
                               const MemoryFigureSettings& settings, MemoryView& view) {
    const std::vector<DotLine> lines = lines_of_dots(models, settings);
    Dot least{HUGE_VAL, HUGE_VAL}, most{0, 0};
    for (const DotLine& one : lines)
        for (const Dot& dot : one.dots) {
            least = {std::min(least.params, dot.params), std::min(least.bytes, dot.bytes)};
            most = {std::max(most.params, dot.params), std::max(most.bytes, dot.bytes)};
        }
    const ByteUnit unit = byte_unit(least.bytes);
    for (const DotLine& one : lines) {
        std::vector<double> x, y;
        for (const Dot& dot : one.dots) {
            x.push_back(dot.params);
            y.push_back(dot.bytes / unit.bytes);
        }
        view.figure.series.push_back(
            line(one.name, one.color, make_curve(std::move(x), std::move(y))));
    }
    const AxisScale scale = settings.log_axes ? AxisScale::kLog : AxisScale::kLinear;
    view.figure.x = {"parameters", "parameters", scale, NumberFormat::kCount,
                     axis_range(least.params, most.params, settings.log_axes)};
    view.figure.y = {
        fmt::format("KV cache per token ({})", unit.name), "cache_per_token", scale,
        NumberFormat::kPlain,
        axis_range(least.bytes / unit.bytes, most.bytes / unit.bytes, settings.log_axes)};
    view.figure.legend = LegendPlace::kTopLeft;
    view.notes.insert(view.notes.begin(), fmt::format("cache in {}", name_of(settings.dtype)));
}

}  // namespace headroom
