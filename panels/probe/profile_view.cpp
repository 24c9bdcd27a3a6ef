#include "panels/probe/profile_view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "panels/base/numbering.h"
#include "panels/figure/palette.h"
#include "panels/probe/probe_differences.h"

namespace headroom {
namespace {

/// The lines of single runs, in their order.
std::vector<std::pair<const ProbeSource*, ProfileNumbers>> read_all(
    std::span<const ProbeSource> sources, const ProfileQuantity& quantity,
    const ProfileSettings& settings) {
    std::vector<std::pair<const ProbeSource*, ProfileNumbers>> all;
    for (const ProbeSource& source : sources)
        all.emplace_back(&source, read_profile(ArrayFile(source.file), quantity, settings.tensor,
                                               settings.heads));
    return all;
}

ProfileCurve mean_curve(const std::string& variant, const std::vector<const ProfileNumbers*>& seeds,
                        SeedBand band) {
    ProfileCurve curve;
    curve.seeds = static_cast<int>(seeds.size());
    curve.name = curve.seeds == 1 ? variant : fmt::format("{} ({} seeds)", variant, curve.seeds);
    curve.axis = seeds.front()->axis;
    if (seeds.size() == 1) {
        curve.values = seeds.front()->values;
        return curve;
    }
    size_t length = seeds.front()->values.size();
    for (const ProfileNumbers* one : seeds) length = std::min(length, one->values.size());
    for (size_t layer = 0; layer < length; ++layer) {
        std::vector<double> values;
        for (const ProfileNumbers* one : seeds) values.push_back(one->values[layer]);
        const Spread spread = spread_of(values, band);
        curve.values.push_back(spread.mean);
        curve.lower.push_back(spread.lower);
        curve.upper.push_back(spread.upper);
    }
    return curve;
}

std::vector<ProfileCurve> make_curves(std::span<const ProbeSource> sources,
                                      const ProfileQuantity& quantity,
                                      const ProfileSettings& settings) {
    const auto all = read_all(sources, quantity, settings);
    std::vector<std::pair<std::string, const ProbeSource*>> order;  // of the lines
    std::map<std::string, std::vector<const ProfileNumbers*>> groups;
    for (const auto& [source, numbers] : all) {
        if (settings.group_seeds && counts_already(*source, sources)) continue;
        const std::string& name = settings.group_seeds ? source->group : source->name;
        std::vector<const ProfileNumbers*>& members = groups[name];
        if (members.empty()) order.emplace_back(name, source);
        members.push_back(&numbers);
    }
    std::vector<ProfileCurve> curves;
    for (const auto& [name, source] : order) {
        curves.push_back(mean_curve(name, groups[name], settings.band));
        curves.back().color = source->color;
        if (!settings.group_seeds) curves.back().shade = source->shade;
    }
    return curves;
}

std::vector<double> places(size_t count) {
    std::vector<double> x;
    for (size_t i = 0; i < count; ++i) x.push_back(static_cast<double>(i));
    return x;
}

void add_curve(Figure& figure, const ProfileCurve& curve) {
    FigureSeries series;
    series.id = series.name = series.legend = curve.name;
    series.role = curve.seeds > 1 ? "mean" : "value";
    series.data = make_curve(places(curve.values.size()), curve.values);
    series.style = run_style(curve.color, curve.shade);
    figure.series.push_back(std::move(series));
    if (curve.lower.empty()) return;
    FigureBand band;
    band.id = band.name = curve.name;
    band.lower = make_curve(places(curve.lower.size()), curve.lower);
    band.upper = make_curve(places(curve.upper.size()), curve.upper);
    band.color = run_style(curve.color).color;
    figure.bands.push_back(std::move(band));
}

/// All finite numbers that are drawn, with a little room.
Range y_range(const std::vector<ProfileCurve>& curves, bool log) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const ProfileCurve& curve : curves)
        for (const auto* values : {&curve.values, &curve.lower, &curve.upper})
            for (const double value : *values) {
                if (!std::isfinite(value) || (log && value <= 0)) continue;
                least = std::min(least, value);
                most = std::max(most, value);
            }
    if (least > most) return log ? Range{0.1, 1} : Range{0, 1};
    if (log) return {least / 1.15, most * 1.15};
    const double room = most > least ? 0.06 * (most - least) : 0.05 * std::max(1.0, std::abs(most));
    const bool from_zero = least >= 0 && least - room < 0;  // no room below zero
    return {from_zero ? 0 : least - room, most + room};
}

std::string x_label(const std::vector<ProfileCurve>& curves) {
    const bool streams = std::any_of(curves.begin(), curves.end(), [](const ProfileCurve& curve) {
        return curve.axis == ProfileAxis::kStreams;
    });
    if (streams) return "blocks passed";
    return layer_axis_label();
}

/// What is drawn of what, for the small print.
std::vector<std::string> make_notes(std::span<const ProbeSource> sources,
                                    const std::vector<ProfileCurve>& curves,
                                    const ProfileQuantity& quantity,
                                    const ProfileSettings& settings) {
    std::vector<std::string> notes;
    if (!quantity.tensors.empty())
        notes.push_back(settings.tensor.empty() ? quantity.tensors.front() : settings.tensor);
    if (quantity.is_per_head())
        notes.push_back(settings.heads == HeadSummary::kMean  ? "mean over the heads"
                        : settings.heads == HeadSummary::kMax ? "highest of the heads"
                                                              : "lowest of the heads");
    const bool bands = std::any_of(curves.begin(), curves.end(),
                                   [](const ProfileCurve& curve) { return !curve.lower.empty(); });
    if (bands) notes.push_back("band over seeds: " + describe(settings.band));
    if (settings.group_seeds)
        for (const ProbeSource& source : sources)
            if (counts_already(source, sources)) notes.push_back(source.repeats);
    return notes;
}

}  // namespace

ProfileView build_profile(std::span<const ProbeSource> sources, const ProfileSettings& settings) {
    const ProfileQuantity& quantity = find_quantity(settings.what);
    ProfileView view;
    view.curves = make_curves(sources, quantity, settings);
    view.notes = make_notes(sources, view.curves, quantity, settings);
    for (std::string& note : probe_difference_notes(sources)) view.notes.push_back(std::move(note));
    Figure& figure = view.figure;
    size_t longest = 1;
    for (const ProfileCurve& curve : view.curves) {
        add_curve(figure, curve);
        longest = std::max(longest, curve.values.size());
    }
    for (const ProbeSource& source : sources) figure.sources.push_back(source.source);
    figure.x.label = x_label(view.curves);
    figure.x.column = figure.x.label == "blocks passed" ? "blocks_passed" : "layer";
    figure.x.format = NumberFormat::kWhole;
    figure.x.range = {-0.2, static_cast<double>(longest) - 0.8};
    figure.y.label = std::string(quantity.label);
    figure.y.column = std::string(quantity.name);
    figure.y.scale = settings.log_y ? AxisScale::kLog : AxisScale::kLinear;
    figure.y.range = y_range(view.curves, settings.log_y);
    figure.footnote = fmt::format("{}", fmt::join(view.notes, " · "));
    if (figure.is_empty()) figure.empty_text = "No probe has these numbers yet.";
    return view;
}

}  // namespace headroom
