#include "panels/loss/loss_view.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "panels/loss/compute_share.h"
#include "panels/loss/loss_figure.h"
#include "panels/loss/relative.h"
#include "panels/loss/seed_groups.h"
#include "panels/loss/smoothing.h"
#include "panels/study/run_source.h"

namespace headroom {
namespace {

struct Baseline {
    RunPointer run;  ///< null for absolute losses
    std::span<const RunPointer> runs;
};

RunPointer find_run(std::span<const RunPointer> runs, const std::string& id) {
    for (const RunPointer& run : runs)
        if (run->id == id) return run;
    return nullptr;
}

void add_note(std::vector<std::string>& notes, const std::string& note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

/// Fills rows and raw: the losses themselves, or their differences from the baseline.
void fill_values(LossCurve& curve, const Baseline& baseline, const LossSettings& settings,
                 std::vector<std::string>& notes) {
    if (!baseline.run) {
        curve.rows = curve.series.kept;
        std::vector<double> losses;
        losses.reserve(curve.rows.size());
        for (const uint32_t row : curve.rows) losses.push_back(curve.series.loss(row));
        curve.raw = make_column(std::move(losses));
        return;
    }
    const RunPointer partner = baseline_partner(*curve.series.run, baseline.run, baseline.runs);
    PairedLoss paired =
        pair_with_baseline(curve.series, shown_rows(partner, curve.kind, settings), settings.unit);
    if (!paired.equal_batches)
        add_note(notes, curve.name + " and " + partner->name +
                            " saw different batches: their difference is not paired");
    curve.rows = std::move(paired.rows);
    curve.raw = make_column(std::move(paired.difference));
}

void note_bad_values(const LossCurve& curve, const LossSettings& settings,
                     std::vector<std::string>& notes) {
    const auto bad = std::find_if(curve.raw->begin(), curve.raw->end(),
                                  [](double value) { return !std::isfinite(value); });
    if (bad == curve.raw->end()) return;
    const auto at = static_cast<size_t>(bad - curve.raw->begin());
    add_note(notes, fmt::format("{}: the {} is not finite from step {} on", curve.name,
                                settings.metric.empty() ? "loss" : settings.metric.c_str(),
                                curve.series.step(curve.rows[at])));
}

/// From tokens to per cent of the reference's training. False, with a note, if that is not known.
bool scale_to_share(LossCurve& curve, const LossReference& reference,
                    std::vector<std::string>& notes) {
    const auto scale =
        reference.run ? percent_per_token(*curve.series.run, reference) : std::optional<double>();
    if (!scale) {
        add_note(notes, curve.name + " is left out: its log does not tell its share of compute");
        return false;
    }
    curve.x_scale = *scale;
    std::vector<double> shares = *curve.x;
    for (double& x : shares) x *= *scale;
    curve.x = make_column(std::move(shares));
    return true;
}

LossCurve make_curve_of(const RunPointer& run, LossKind kind, const Baseline& baseline,
                        const LossSettings& settings, std::vector<std::string>& notes) {
    LossCurve curve;
    curve.id = run->id;
    curve.name = run->name;
    curve.kind = kind;
    curve.color = run->color;
    curve.shade = run->shade;
    curve.series = shown_rows(run, kind, settings);
    fill_values(curve, baseline, settings, notes);
    curve.x = make_column(x_values(curve.series, curve.rows, settings.x));
    curve.seconds = make_column(seconds_at(curve.series, curve.rows));
    const bool smoothed =
        settings.smoothing > 0 && (kind == LossKind::kTrain || settings.smooth_val);
    curve.value = smoothed ? make_column(smooth(*curve.raw, settings.smoothing)) : curve.raw;
    note_bad_values(curve, settings, notes);
    return curve;
}

/// A run of the baseline's own variant and seed: its difference is zero, which the rule shows.
bool is_reference(const Run& run, const Baseline& baseline) {
    return baseline.run && baseline_partner(run, baseline.run, baseline.runs)->id == run.id;
}

std::vector<LossKind> shown_kinds(const LossSettings& settings) {
    if (!settings.metric.empty()) return {LossKind::kTrain};
    std::vector<LossKind> kinds;
    if (settings.train) kinds.push_back(LossKind::kTrain);
    if (settings.val) kinds.push_back(LossKind::kVal);
    return kinds;
}

bool is_hidden(const LossCurve& curve, const LossSettings& settings) {
    return settings.hidden.contains(curve.id);
}

std::vector<FigureSource> sources_of(std::span<const RunPointer> runs,
                                     const LossSettings& settings) {
    std::vector<FigureSource> sources;
    for (const RunPointer& run : runs) {
        const bool hidden = settings.hidden.contains(settings.group_seeds ? run->group : run->id);
        if (hidden && run->id != settings.baseline) continue;
        sources.push_back(figure_source(*run));
    }
    return sources;
}

/// The point nearest to x: of the two around it, the one that is less far.
size_t nearest_index(const std::vector<double>& values, double x) {
    const auto after = std::lower_bound(values.begin(), values.end(), x);
    if (after == values.begin()) return 0;
    if (after == values.end()) return values.size() - 1;
    const auto index = static_cast<size_t>(after - values.begin());
    return x - values[index - 1] <= values[index] - x ? index - 1 : index;
}

}  // namespace

LossView build_loss(std::span<const RunPointer> runs, const LossSettings& settings) {
    LossView view;
    Baseline baseline{nullptr, runs};
    if (!settings.baseline.empty()) {
        baseline.run = find_run(runs, settings.baseline);
        if (!baseline.run)
            view.notes.push_back("the baseline " + settings.baseline +
                                 " is not among the runs: losses are absolute");
    }
    LossReference reference;
    if (const RunPointer run = find_run(runs, settings.reference)) reference = loss_reference(run);
    for (const RunPointer& run : runs) {
        if (is_reference(*run, baseline) || run == reference.run) continue;
        for (const LossKind kind : shown_kinds(settings)) {
            LossCurve curve = make_curve_of(run, kind, baseline, settings, view.notes);
            if (settings.x != LossX::kComputeShare || scale_to_share(curve, reference, view.notes))
                view.curves.push_back(std::move(curve));
        }
    }
    if (settings.group_seeds) view.curves = group_by_seed(view.curves, settings.band, view.notes);
    for (LossCurve& curve : view.curves) curve.visible = !is_hidden(curve, settings);

    std::string baseline_name;
    if (baseline.run)
        baseline_name = settings.group_seeds ? baseline.run->group : baseline.run->name;
    if (reference.final_loss && !baseline.run)
        view.figure.rules.push_back(
            {true, *reference.final_loss, reference.run->name + ", final loss"});
    fill_loss_figure(view, settings, baseline_name);
    view.figure.sources = sources_of(runs, settings);
    return view;
}

void sort_from_the_top(std::vector<LossTip>& tips) {
    const auto height = [](const LossTip& tip) {
        return std::isnan(tip.value) ? -HUGE_VAL : tip.value;
    };
    std::stable_sort(tips.begin(), tips.end(),
                     [&](const LossTip& a, const LossTip& b) { return height(a) > height(b); });
}

std::vector<LossTip> tips_at(const LossView& view, double x) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const bool both = std::any_of(view.curves.begin(), view.curves.end(), [&](const auto& curve) {
        return curve.kind != view.curves.front().kind;
    });
    std::vector<LossTip> tips;
    for (const LossCurve& curve : view.curves) {
        if (!curve.visible || curve.x->empty()) continue;
        const size_t i = nearest_index(*curve.x, x);
        const uint32_t row = curve.rows[i];
        const char* kind = curve.kind == LossKind::kTrain ? " train" : " val";
        tips.push_back({.name = curve.name + (both ? kind : ""),
                        .color = curve.color,
                        .shade = curve.shade,
                        .x = (*curve.x)[i],
                        .value = (*curve.value)[i],
                        .raw = (*curve.raw)[i],
                        .lower = curve.has_band() ? (*curve.lower)[i] : kNone,
                        .upper = curve.has_band() ? (*curve.upper)[i] : kNone,
                        .seeds = curve.seeds,
                        .step = curve.series.step(row),
                        .tokens = curve.series.tokens(row),
                        .seconds = (*curve.seconds)[i]});
    }
    sort_from_the_top(tips);
    return tips;
}

}  // namespace headroom
