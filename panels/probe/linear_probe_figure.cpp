#include "panels/probe/linear_probe_figure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/probe/line_fit.h"
#include "panels/base/numbering.h"
#include "panels/figure/palette.h"
#include "panels/probe/probe_differences.h"

namespace headroom {
namespace {

using Group = std::vector<const ProbedRun*>;

const std::vector<double>& numbers_of(const LinearProbeResult& probe, ProbeNumber number) {
    switch (number) {
        case ProbeNumber::kTrainLoss:
            return probe.train_loss;
        case ProbeNumber::kControlLoss:
            return probe.control_val_loss;
        case ProbeNumber::kSelectivity:
            return probe.selectivity;
        case ProbeNumber::kAccuracy:
            return probe.val_accuracy;
        default:
            return probe.val_loss;
    }
}

FigureAxis number_axis(ProbeNumber number) {
    FigureAxis axis;
    switch (number) {
        case ProbeNumber::kTrainLoss:
            axis.label = "probe: train loss (nats)";
            axis.column = "train_loss";
            break;
        case ProbeNumber::kControlLoss:
            axis.label = "control task: val loss (nats)";
            axis.column = "control_val_loss";
            break;
        case ProbeNumber::kSelectivity:
            axis.label = "selectivity: control − probe (nats)";
            axis.column = "selectivity";
            break;
        case ProbeNumber::kAccuracy:
            axis.label = "probe: val accuracy";
            axis.column = "val_accuracy";
            break;
        default:
            axis.label = "probe: val loss (nats)";
            axis.column = "val_loss";
    }
    return axis;
}

/// Seeds of a variant stand together, in the order in which variants first appear.
std::vector<Group> by_variant(const std::vector<ProbedRun>& runs) {
    std::vector<Group> groups;
    for (const ProbedRun& run : runs) {
        if (counts_already(run, std::span(runs))) continue;
        const auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
            return group[0]->group == run.group;
        });
        if (at == groups.end())
            groups.push_back({&run});
        else
            at->push_back(&run);
    }
    return groups;
}

/// The values of one layer, one for each run; empty if a run has none.
std::vector<double> at_layer(const Group& group, int32_t layer, ProbeNumber number) {
    std::vector<double> values;
    for (const ProbedRun* run : group) {
        const auto& layers = run->probe.layers;
        const auto found = std::find(layers.begin(), layers.end(), layer);
        const std::vector<double>& all = numbers_of(run->probe, number);
        const auto i = static_cast<size_t>(found - layers.begin());
        if (found == layers.end() || i >= all.size()) return {};
        values.push_back(all[i]);
    }
    return values;
}

struct Span {
    int first, last;
    bool operator==(const Span&) const = default;
    bool contains(double layer) const { return layer >= first && layer <= last; }
};

Span fit_span(const Group& group, const LinearProbeSettings& settings) {
    const LinearProbeResult& probe = group[0]->probe;
    return {settings.fit_first < 0 ? probe.slope_first : settings.fit_first,
            settings.fit_last < 0 ? probe.slope_last : settings.fit_last};
}

/// One variant: its line with band and fit.
class VariantPlot {
  public:
    VariantPlot(const Group& group, const LinearProbeSettings& settings)
        : group_(group), span_(fit_span(group, settings)) {
        line_.name = group[0]->group;
        line_.seeds = static_cast<int>(group.size());
        for (const int32_t layer : group[0]->probe.layers) {
            if (settings.deep_only && !span_.contains(layer)) continue;
            const std::vector<double> values = at_layer(group, layer, settings.number);
            if (values.empty()) continue;
            const Spread spread = spread_of(values, settings.band);
            line_.layers.push_back(layer);
            line_.mean.push_back(spread.mean);
            lower_.push_back(spread.lower);
            upper_.push_back(spread.upper);
        }
        fit();
    }

    const ProbeLine& line() const { return line_; }
    Span span() const { return span_; }
    /// The layers that its line is of; none without a line.
    std::optional<Span> fitted() const {
        if (fit_layers_.empty()) return std::nullopt;
        return Span{static_cast<int>(fit_layers_[0]), static_cast<int>(fit_layers_[1])};
    }

    void add_to(Figure& figure) const {
        const std::string& id = group_[0]->id;
        const bool mean = line_.seeds > 1;
        LineStyle style = run_style(group_[0]->color);
        style.dash = LineDash::kSolid;
        const std::string slope =
            std::isfinite(line_.slope) ? fmt::format(", slope {}", signed_number(line_.slope)) : "";
        figure.series.push_back({id, line_.name, mean ? "mean" : "value",
                                 make_curve(line_.layers, line_.mean), style,
                                 line_.name + slope + seeds()});
        if (mean)
            figure.bands.push_back({id, line_.name, make_curve(line_.layers, lower_),
                                    make_curve(line_.layers, upper_), style.color});
        if (fit_layers_.size() < 2) return;
        style.dash = LineDash::kDash;
        style.marker = Marker::kNone;
        style.width_pt = 1.0;
        figure.series.push_back(
            {id, line_.name, "fit", make_curve(fit_layers_, fit_values_), style, ""});
    }

    void extend(double& least, double& most) const {
        for (const std::vector<double>* values : {&line_.mean, &lower_, &upper_, &fit_values_})
            for (const double value : *values)
                if (std::isfinite(value)) {
                    least = std::min(least, value);
                    most = std::max(most, value);
                }
    }

  private:
    static std::string signed_number(double value) {
        return fmt::format("{}{:.3f}", value < 0 ? "−" : "+", std::abs(value));
    }
    std::string seeds() const {
        return line_.seeds > 1 ? fmt::format(" ({} seeds)", line_.seeds) : "";
    }

    void fit() {
        std::vector<double> x, y;
        for (size_t i = 0; i < line_.layers.size(); ++i)
            if (span_.contains(line_.layers[i])) {
                x.push_back(line_.layers[i]);
                y.push_back(line_.mean[i]);
            }
        const LineFit line = fit_line(x, y);
        line_.slope = line.slope;
        if (!std::isfinite(line.slope)) return;
        fit_layers_ = {x.front(), x.back()};
        fit_values_ = {line.at(x.front()), line.at(x.back())};
    }

    const Group& group_;
    Span span_;
    ProbeLine line_;
    std::vector<double> lower_, upper_, fit_layers_, fit_values_;
};

std::string steps_note(const std::vector<ProbedRun>& runs) {
    std::set<int64_t> steps;
    for (const ProbedRun& run : runs) steps.insert(run.step);
    steps.erase(-1);
    if (steps.empty()) return "linear probes";
    return fmt::format("linear probes at step {}", fmt::join(steps, ", "));
}

std::string fit_note(const std::vector<VariantPlot>& plots, ProbeNumber number) {
    const char* unit =
        number == ProbeNumber::kAccuracy ? "slope per layer" : "slope in nats per layer";
    std::optional<Span> span;
    for (const VariantPlot& plot : plots) {
        const std::optional<Span> its = plot.fitted();
        if (!its) continue;
        if (span && !(*its == *span))
            return fmt::format("dashed: least squares over the deep half; {}", unit);
        span = its;
    }
    if (!span)
        return fmt::format("no line: fewer than two layers from {} to {}",
                           shown_number(plots[0].span().first), shown_number(plots[0].span().last));
    return fmt::format("dashed: least squares over layers {} to {}; {}", shown_number(span->first),
                       shown_number(span->last), unit);
}

void set_axes(Figure& figure, const std::vector<VariantPlot>& plots, ProbeNumber number) {
    double first = HUGE_VAL, last = -HUGE_VAL, least = HUGE_VAL, most = -HUGE_VAL;
    for (const VariantPlot& plot : plots) {
        plot.extend(least, most);
        for (const double layer : plot.line().layers) {
            first = std::min(first, layer);
            last = std::max(last, layer);
        }
    }
    constexpr double kRoom = 0.06, kSideRoom = 0.15;
    const double room = std::max((most - least) * kRoom, 1e-3);
    figure.x.label = layer_axis_label();
    figure.x.column = "layer";
    figure.x.format = NumberFormat::kWhole;
    figure.x.range = {first - kSideRoom, last + kSideRoom};
    figure.y = number_axis(number);
    figure.y.range = {least - room, most + room};
}

/// What the probes of one figure do not have in common.
std::vector<std::string> differences(const std::vector<Group>& groups) {
    std::vector<ProbeSource> sources;
    for (const Group& group : groups)
        for (const ProbedRun* run : group) {
            if (run->file.empty()) continue;
            ProbeSource& source = sources.emplace_back();
            source.name = group.size() > 1 ? run->id : run->group;
            source.file = run->file;
        }
    return probe_difference_notes(sources);
}

bool has_numbers(const VariantPlot& plot) {
    return std::any_of(plot.line().mean.begin(), plot.line().mean.end(),
                       [](double value) { return std::isfinite(value); });
}

}  // namespace

LinearProbeView build_linear_probe(const std::vector<ProbedRun>& runs,
                                   const LinearProbeSettings& settings) {
    LinearProbeView view;
    const std::vector<Group> groups = by_variant(runs);
    std::vector<VariantPlot> plots;
    bool seeds = false;
    for (const Group& group : groups) {
        VariantPlot plot(group, settings);
        if (!has_numbers(plot)) {
            view.notes.push_back(fmt::format("{} has no such numbers", group[0]->group));
            continue;
        }
        seeds |= group.size() > 1;
        plots.push_back(std::move(plot));
    }
    if (plots.empty()) {
        view.figure.empty_text = "no probe has the numbers asked for";
        return view;
    }
    for (const VariantPlot& plot : plots) {
        plot.add_to(view.figure);
        view.lines.push_back(plot.line());
    }
    set_axes(view.figure, plots, settings.number);
    for (const ProbedRun& run : runs) view.figure.sources.push_back(run.source);
    std::vector<std::string> notes{steps_note(runs), fit_note(plots, settings.number)};
    if (seeds) notes.push_back("band: " + describe(settings.band));
    for (const ProbedRun& run : runs)
        if (counts_already(run, std::span(runs))) notes.push_back(run.repeats);
    for (std::string& note : differences(groups)) notes.push_back(std::move(note));
    view.notes.insert(view.notes.begin(), notes.begin(), notes.end());
    view.figure.footnote = fmt::format("{}", fmt::join(view.notes, " · "));
    return view;
}

}  // namespace headroom
