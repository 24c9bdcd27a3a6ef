#include "panels/loss/loss_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "panels/figure/palette.h"

namespace headroom {
namespace {

constexpr double kTrainPt = 1.0;       ///< of training lines beside validation lines
constexpr size_t kMostStretches = 32;  ///< of superseded rows drawn for one run

/// Least and greatest of what is drawn, and for quantiles all of it.
struct Bounds {
    bool log = false;
    bool keep = false;
    double least = HUGE_VAL, greatest = -HUGE_VAL;
    std::vector<double> kept;

    void add(double value) {
        if (!std::isfinite(value) || (log && value <= 0)) return;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
        if (keep) kept.push_back(value);
    }
};

void add_all(const Column& values, Bounds& bounds) {
    if (!values) return;
    for (const double value : *values) bounds.add(value);
}

/// Of values that never decrease.
void add_ends(const Column& values, Bounds& bounds) {
    if (!values || values->empty()) return;
    const auto first =
        bounds.log ? std::upper_bound(values->begin(), values->end(), 0.0) : values->begin();
    if (first == values->end()) return;
    bounds.add(*first);
    bounds.add(values->back());
}

/// By as many at once as the processor compares; of none, and of stretches without values,
/// infinity.
float least_of(const std::vector<float>& values, float sign) {
    constexpr size_t kLanes = 16;
    std::array<float, kLanes> least;
    least.fill(std::numeric_limits<float>::infinity());
    const auto take = [&](size_t lane, float value) {
        least[lane] = sign * value < least[lane] ? sign * value : least[lane];
    };
    size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane) take(lane, values[i + lane]);
    for (; i < values.size(); ++i) take(0, values[i]);
    return *std::min_element(least.begin(), least.end());
}

/// What every line of many long runs adds whenever one of them grows.
void add_extremes(const CurveData& line, Bounds& bounds) {
    if (!line) return;
    if (!line->is_outlined()) {
        for (const double y : line->y()) bounds.add(y);
        return;
    }
    const CurveOutline& outline = line->outline();
    if (!bounds.log && !bounds.keep) {
        bounds.add(least_of(outline.least, 1));
        bounds.add(-least_of(outline.greatest, -1));
        return;
    }
    for (size_t i = 0; i < outline.size(); ++i) {
        if (outline.least[i] > outline.greatest[i]) continue;
        bounds.add(outline.least[i]);
        bounds.add(outline.greatest[i]);
    }
}

/// Widens [lower, upper] by `share` of its length, in the scale of the axis; a single value gets
/// room on both sides.
Range padded(double lower, double upper, double share, bool log) {
    if (log) {
        const double factor = upper > lower ? std::pow(upper / lower, share) : 1.5;
        return {lower / factor, upper * factor};
    }
    double pad = share * (upper - lower);
    if (!(pad > 0)) pad = lower != 0 ? std::fabs(lower) * 0.1 : 1;
    return {lower - pad, upper + pad};
}

double quantile(std::vector<double>& values, double q) {
    const auto at = std::lround(q * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<size_t>(at)];
}

Range range_of(const Bounds& bounds, double share) {
    if (!(bounds.least <= bounds.greatest)) return bounds.log ? Range{1, 10} : Range{0, 1};
    return padded(bounds.least, bounds.greatest, share, bounds.log);
}

LineStyle style_of(const LossCurve& curve, const LossSettings& settings) {
    LineStyle style = run_style(curve.color, curve.shade);
    if (curve.kind == LossKind::kTrain) {
        style.marker = Marker::kNone;
        if (settings.val && settings.metric.empty()) style.width_pt = kTrainPt;
    }
    return style;
}

void add_raw(const LossCurve& curve, const LossSettings& settings, Figure& figure) {
    LineStyle style = style_of(curve, settings);
    style.faint = true;
    style.dash = LineDash::kSolid;
    style.marker = Marker::kNone;
    style.width_pt = 0.8;
    figure.series.push_back(
        {curve.id, series_name(curve, settings), "raw", curve.raw_line, style, "", curve.visible});
}

/// What a resumed run repeated, faintly, and a mark where it took up again.
void add_rewinds(const LossCurve& curve, const LossSettings& settings, Figure& figure) {
    LineStyle style = style_of(curve, settings);
    const std::string name = series_name(curve, settings);
    const auto& stretches = curve.series.superseded;
    const size_t first = stretches.size() - std::min(stretches.size(), kMostStretches);
    for (size_t s = first; s < stretches.size(); ++s) {
        std::vector<double> losses;
        for (const uint32_t row : stretches[s]) losses.push_back(curve.series.loss(row));
        std::vector<double> at = x_values(curve.series, stretches[s], settings.x);
        for (double& x : at) x *= curve.x_scale;
        LineStyle faint = style;
        faint.faint = true;
        faint.marker = Marker::kNone;
        figure.series.push_back({curve.id, name, "superseded",
                                 make_curve(std::move(at), std::move(losses)), faint, "",
                                 curve.visible});
    }
    std::vector<double> x, y;
    for (const Point& point : curve.resumed) {
        x.push_back(point.x);
        y.push_back(point.y);
    }
    style.line = false;
    style.marker = Marker::kPlus;
    figure.series.push_back({curve.id, name, "resumed", make_curve(std::move(x), std::move(y)),
                             style, "", curve.visible});
}

/// A hidden one is not built, and comes back by its place in the legend.
bool may_have_points(const LossCurve& curve) {
    return !curve.visible || (curve.x && !curve.x->empty());
}

/// With both kinds shown, a run stands in the legend once, as its validation line; one that has no
/// point yet does not.
std::string legend_of(const LossCurve& curve, const LossView& view) {
    const auto speaks_for = [&](const LossCurve& other) {
        return other.id == curve.id && other.kind == LossKind::kVal && may_have_points(other);
    };
    if (!may_have_points(curve)) return "";
    const bool val = curve.kind == LossKind::kVal;
    return val || std::none_of(view.curves.begin(), view.curves.end(), speaks_for) ? curve.name
                                                                                   : "";
}

void add_main(const LossCurve& curve, const LossSettings& settings, LossView& view) {
    const bool smoothed = curve.value != curve.raw;
    const char* role = curve.seeds > 1 ? "mean" : smoothed ? "smoothed" : "value";
    view.figure.series.push_back({curve.id, series_name(curve, settings), role, curve.value_line,
                                  style_of(curve, settings), legend_of(curve, view),
                                  curve.visible});
}

/// What tells training from validation, where there are both.
std::vector<FigureKey> kind_keys(const LossView& view) {
    const auto any = [&](LossKind kind) {
        return std::any_of(view.curves.begin(), view.curves.end(), [&](const LossCurve& curve) {
            return curve.kind == kind && may_have_points(curve);
        });
    };
    if (!any(LossKind::kTrain) || !any(LossKind::kVal)) return {};
    LineStyle train, val;
    train.width_pt = kTrainPt;
    val.marker = Marker::kCircle;
    return {{kTrainKey, "train", train}, {kValKey, "val", val}};
}

std::string x_label(LossX x) {
    switch (x) {
        case LossX::kSteps:
            return "training step";
        case LossX::kTokens:
            return "training tokens";
        case LossX::kSeconds:
            return "training time";
        case LossX::kWall:
            return "time of day";
        case LossX::kComputeShare:
            return "share of the original compute (%)";
    }
    return "";
}

const char* x_column(LossX x) {
    constexpr const char* kNames[] = {"step", "tokens", "seconds", "unix_time", "compute_percent"};
    return kNames[static_cast<int>(x)];
}

NumberFormat x_format(LossX x) {
    if (x == LossX::kSeconds) return NumberFormat::kDuration;
    if (x == LossX::kComputeShare) return NumberFormat::kPlain;
    return x == LossX::kWall ? NumberFormat::kDateTime : NumberFormat::kCount;
}

/// "grad_norm", with its unit where the log gives one.
std::string metric_label(const LossView& view, const std::string& metric) {
    std::string name = metric.substr(metric.rfind('/') + 1);
    for (const LossCurve& curve : view.curves)
        if (curve.series.other && !curve.series.other->unit.empty())
            return fmt::format("{} ({})", name, curve.series.other->unit);
    return name;
}

FigureAxis metric_axis(const LossView& view, const LossSettings& settings,
                       const std::string& baseline) {
    FigureAxis axis;
    axis.label = metric_label(view, settings.metric);
    axis.column = settings.metric.substr(settings.metric.rfind('/') + 1);
    if (baseline.empty()) {
        axis.scale = settings.log_y ? AxisScale::kLog : AxisScale::kLinear;
        if (axis.column.ends_with("bytes")) axis.format = NumberFormat::kCount;
        return axis;
    }
    const bool percent = settings.unit == RelativeUnit::kPercent;
    axis.label += percent ? " relative to " + baseline + " (%)" : " − " + baseline;
    axis.column += percent ? "_percent" : "_difference";
    axis.format = NumberFormat::kSigned;
    return axis;
}

/// What a loss is the mean over: tokens, or the images of models that read these.
std::string loss_unit(const LossView& view) {
    bool images = false, tokens = false;
    for (const LossCurve& curve : view.curves) {
        const Job* job = curve.series.run == nullptr ? nullptr : curve.series.run->job.get();
        (job != nullptr && job->model.reads_images() ? images : tokens) = true;
    }
    if (images) return tokens ? "nats" : "nats per image";
    return "nats per token";
}

FigureAxis y_axis(const LossView& view, const LossSettings& settings, const std::string& baseline) {
    if (!settings.metric.empty()) return metric_axis(view, settings, baseline);
    FigureAxis axis;
    const std::string kind = settings.train == settings.val ? "loss"
                             : settings.train               ? "training loss"
                                                            : "validation loss";
    if (baseline.empty()) {
        axis.label = fmt::format("{} ({})", kind, loss_unit(view));
        axis.column = "loss";
        axis.scale = settings.log_y ? AxisScale::kLog : AxisScale::kLinear;
    } else {
        const bool nats = settings.unit == RelativeUnit::kNats;
        axis.label = kind + (nats ? fmt::format(" − {} ({})", baseline, loss_unit(view))
                                  : " relative to " + baseline + " (%)");
        axis.column = nats ? "loss_difference" : "loss_percent";
        axis.format = NumberFormat::kSigned;
    }
    return axis;
}

std::string empty_text(const LossView& view, const LossSettings& settings,
                       const std::string& baseline) {
    if (!settings.metric.empty() && baseline.empty()) return "No run has logged " + settings.metric;
    if (!settings.metric.empty() && view.why_empty.empty())
        return fmt::format("No difference can be drawn: {}, or every other run, has no {}",
                           baseline, settings.metric);
    if (!settings.train && !settings.val) return "Neither training nor validation is shown";
    if (!view.why_empty.empty()) return "No difference can be drawn: " + view.why_empty;
    if (view.curves.empty()) return "No run to show";
    if (std::none_of(view.curves.begin(), view.curves.end(), [](auto& c) { return c.visible; }))
        return "Every run is hidden";
    return settings.train ? "No step logged yet" : "No evaluation logged yet";
}

void set_ranges(LossView& view, const LossSettings& settings) {
    Figure& figure = view.figure;
    Bounds x{.log = figure.x.scale == AxisScale::kLog, .keep = false, .kept = {}};
    Bounds y{
        .log = figure.y.scale == AxisScale::kLog, .keep = settings.ignore_outliers, .kept = {}};
    bool sampled = false;
    for (const LossCurve& curve : view.curves) {
        if (!curve.visible) continue;
        add_ends(curve.x, x);
        sampled = sampled || curve.is_sampled();
        if (curve.is_sampled() && settings.ignore_outliers) {
            add_all(curve.value, y);
            continue;
        }
        for (const CurveData& line :
             {curve.value_line, curve.lower_line, curve.upper_line, curve.raw_line})
            add_extremes(line, y);
    }
    view.x_all = range_of(x, 0.015);
    if (settings.ignore_outliers && y.kept.size() > 2) {
        const double lower = quantile(y.kept, 0.05), upper = quantile(y.kept, 0.95);
        view.y_all = padded(lower, upper, 0.05, y.log);
        const auto hidden = std::count_if(y.kept.begin(), y.kept.end(), [&](double value) {
            return !view.y_all.contains(value);
        });
        if (hidden > 0 && sampled && !settings.y_range)
            view.notes.push_back("points outside the range are hidden");
        else if (hidden > 0 && !settings.y_range)
            view.notes.push_back(
                fmt::format("{} outside the range {} hidden",
                            hidden == 1 ? "1 point" : fmt::format("{} points", hidden),
                            hidden == 1 ? "is" : "are"));
    } else {
        for (const FigureRule& rule : figure.rules) y.add(rule.at);
        view.y_all = range_of(y, 0.05);
    }
    figure.x.range = settings.x_range.value_or(view.x_all);
    figure.y.range = settings.y_range.value_or(view.y_all);
}

void note_method(LossView& view, const LossSettings& settings) {
    std::vector<std::string>& notes = view.notes;
    const auto any = [&](auto test) {
        return std::any_of(view.curves.begin(), view.curves.end(), test);
    };
    const bool banded = any([](const LossCurve& c) { return c.visible && c.has_band(); });
    const bool resumed = any(
        [](const LossCurve& c) { return c.visible && !c.has_band() && !c.series.resumed.empty(); });
    const bool all = !settings.metric.empty() || settings.smooth_val;
    if ((settings.train || all) && settings.smoothing > 0)
        notes.insert(notes.begin(),
                     fmt::format("{}smoothed by {:g}", all ? "" : "training ", settings.smoothing));
    if (banded) notes.push_back("band: " + describe(settings.band));
    if (resumed) notes.push_back("+ marks where a run was resumed");
    if (settings.log_y && !settings.baseline.empty())
        notes.push_back("differences are shown on a linear scale");
}

}  // namespace

bool shows_raw(const LossCurve& curve, const LossSettings& settings) {
    const bool smoothed = curve.kind == LossKind::kTrain || settings.smooth_val;
    return settings.raw_behind && smoothed && settings.smoothing > 0 && !curve.has_band();
}

std::string series_name(const LossCurve& curve, const LossSettings& settings) {
    if (!settings.train || !settings.val || curve.series.other) return curve.name;
    return curve.name + (curve.kind == LossKind::kTrain ? " train" : " val");
}

void fill_loss_figure(LossView& view, const LossSettings& settings,
                      const std::string& baseline_name) {
    Figure& figure = view.figure;
    figure.title = settings.title;
    figure.legend = settings.legend ? LegendPlace::kBest : LegendPlace::kNone;
    figure.width_in = settings.width_in;
    figure.height_in = settings.height_in;
    figure.x = {x_label(settings.x),
                x_column(settings.x),
                settings.log_x && settings.x != LossX::kWall ? AxisScale::kLog : AxisScale::kLinear,
                x_format(settings.x),
                {}};
    figure.y = y_axis(view, settings, baseline_name);
    if (!baseline_name.empty()) figure.rules.push_back({true, 0, "0 = " + baseline_name});
    if (!baseline_name.empty() && settings.unit == RelativeUnit::kPercent)
        for (const double at : {0.1, -0.1})
            figure.rules.push_back({true, at, at > 0 ? "±0.1 %" : ""});

    for (const LossCurve& curve : view.curves) {
        if (curve.has_band()) {
            const std::string name = series_name(curve, settings);
            figure.bands.push_back(
                {curve.id, name, curve.lower_line, curve.upper_line, curve.color, curve.visible});
        }
        if (curve.raw_line) add_raw(curve, settings, figure);
        const bool rewound = !curve.has_band() && !curve.series.resumed.empty();
        if (rewound && baseline_name.empty()) add_rewinds(curve, settings, figure);
    }
    for (const LossCurve& curve : view.curves) add_main(curve, settings, view);
    const bool both = settings.train && settings.val && settings.metric.empty();
    if (both && !figure.is_empty()) figure.keys = kind_keys(view);

    set_ranges(view, settings);
    if (!figure.is_empty()) note_method(view, settings);
    figure.footnote = fmt::format("{}", fmt::join(view.notes, " · "));
    if (figure.is_empty()) figure.empty_text = empty_text(view, settings, baseline_name);
}

}  // namespace headroom
