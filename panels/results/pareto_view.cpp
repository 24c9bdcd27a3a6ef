#include "panels/results/pareto_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/log/step_rate.h"
#include "panels/figure/marks_aside.h"
#include "panels/figure/palette.h"
#include "panels/results/key_axis.h"
#include "panels/study/measure_label.h"
#include "panels/study/run_pairing.h"
#include "panels/study/run_question.h"
#include "panels/study/run_source.h"
#include "panels/study/runs_by_group.h"

namespace headroom {
namespace {

constexpr char kStepSeconds[] = "step_seconds";

/// What its group is called everywhere, of found wirings without what they read: a search calls
/// them "w07: values 4-7 read 1".
std::string point_name(const Run& run) {
    std::string name = run.group;
    if (!run.job || !run.job->model.custom_wiring || !run.label.name.empty()) return name;
    const size_t from = name.find(": ");
    if (from != std::string::npos) name.erase(from, name.find(" · ", from) - from);
    return name;
}

/// Losses of one group by seed.
using LossBySeed = std::map<int64_t, double>;

class ParetoBuilder {
  public:
    ParetoBuilder(const std::vector<RunPointer>& runs, const ParetoSettings& settings)
        : runs_(runs), settings_(settings) {
        facts_.set_runs(runs);
        if (settings_.x != kStepSeconds) settings_.x = facts_.find_column(settings_.x);
    }

    ParetoView build() && {
        view_.at_tokens = settings_.at_tokens.value_or(most_tokens());
        measured_at_ = {view_.at_tokens};
        const std::vector<RunGroup> groups = groups_of(runs_);
        measure_reference(groups);
        for (const RunGroup& group : groups) add_group(group);
        note_left_out();
        if (view_.points.empty()) {
            view_.figure.empty_text = fmt::format("no run has a {} yet", settings_.measure.name());
            return std::move(view_);
        }
        sort_points();
        find_frontier();
        draw();
        return std::move(view_);
    }

  private:
    int64_t most_tokens() const {
        int64_t most = 0;
        for (const RunPointer& run : runs_)
            if (run->series->state == RunState::kFinished)
                most = std::max(most, tokens_reached(*run));
        return most;
    }

    MeasuredRuns measured(const std::vector<RunPointer>& runs) const {
        return measure_runs(runs, settings_.measure, view_.at_tokens);
    }

    /// Takes out those that answer another question than the reference: no frontier holds both.
    void leave_other_questions(MeasuredRuns& its) {
        const std::optional<LossOver> over = loss_over(settings_.measure);
        if (!over) return;
        for (size_t i = its.runs.size(); i-- > 0;) {
            const Run& run = *its.runs[i];
            const Run& asked = *partner_of(run, reference_->runs.front(), reference_->runs);
            const std::string_view difference = question_difference(run, asked, *over);
            // Of fewer sequences a loss is less certain, and still the same one.
            const bool stays = difference.empty() || difference == kEvaluationSequences;
            (stays ? noted_ : others_).add(point_name(run), run, asked, difference);
            if (!stays) its.erase(i);
        }
    }

    void measure_reference(const std::vector<RunGroup>& groups) {
        const auto is_reference = [&](const RunGroup& group) {
            return std::any_of(group.runs.begin(), group.runs.end(), [&](const RunPointer& run) {
                return run->id == settings_.reference;
            });
        };
        const auto found = std::find_if(groups.begin(), groups.end(), is_reference);
        if (groups.empty()) return;
        reference_ = found == groups.end() ? &groups.front() : &*found;
        others_ = noted_ = OtherQuestions(point_name(*reference_->runs.front()));
        const MeasuredRuns its = measured(reference_->runs);
        for (size_t i = 0; i < its.runs.size(); ++i)
            of_reference_[its.runs[i]->seed] = its.values[i];
        leave_lone_seeds(groups);
    }

    /// Seeds that only the reference has compare with nothing: without them a further seed of it
    /// does not make all others incomplete.
    void leave_lone_seeds(const std::vector<RunGroup>& groups) {
        std::set<int64_t> shared;
        for (const RunGroup& group : groups)
            if (&group != reference_)
                for (const RunPointer& run : measured(group.runs).runs)
                    if (of_reference_.contains(run->seed)) shared.insert(run->seed);
        if (shared.empty()) return;
        std::vector<int64_t> lone;
        for (const auto& [seed, loss] : of_reference_)
            if (!shared.contains(seed)) lone.push_back(seed);
        for (const int64_t seed : lone) of_reference_.erase(seed);
        if (!lone.empty())
            view_.notes.push_back(fmt::format("without seed{} {} of {}, which no other has",
                                              lone.size() == 1 ? "" : "s", fmt::join(lone, ", "),
                                              point_name(*reference_->runs.front())));
    }

    double cost_of(const RunGroup& group) const {
        if (settings_.x == kStepSeconds) {
            std::vector<double> times;
            for (const RunPointer& run : group.runs)
                if (const auto rate = median_step_rate(run->series->train))
                    times.push_back(rate->seconds_per_step);
            if (!times.empty())
                return std::accumulate(times.begin(), times.end(), 0.0) /
                       static_cast<double>(times.size());
        }
        const Run& run = *group.runs.front();
        const RunValue value =
            settings_.x == kStepSeconds ? RunValue{} : facts_.value(run, settings_.x);
        if (!value.number) refuse_cost(run, value.text);
        return *value.number;
    }

    [[noreturn]] void refuse_cost(const Run& run, const std::string& text) const {
        const bool is_time = settings_.x == kStepSeconds, unknown = is_time || !run.job;
        const std::string why = is_time    ? "its log has no times of steps"
                                : !run.job ? "nothing is known of its model"
                                           : text;
        throw UserError(
            fmt::format("{} of {} is no number{}{}", settings_.x, run.id, why.empty() ? "" : ": ",
                        why),
            unknown ? fmt::format("leave the run out, or name another {}",
                                  settings_.relative ? "--relative-to" : "--reference")
                    : "give --x kv_bytes_per_token, params, flops_per_token or step_seconds");
    }

    /// The losses of the reference's seeds where the group has all of them, else what there is.
    void add_group(const RunGroup& group) {
        MeasuredRuns its = measured(group.runs);
        unmeasured_.insert(unmeasured_.end(), its.unmeasured.begin(), its.unmeasured.end());
        leave_other_questions(its);
        measured_at_.include(its);
        for (const RunPointer& run : its.runs)
            before_end_ |= tokens_reached(*run) != view_.at_tokens;
        LossBySeed losses;
        for (size_t i = 0; i < its.runs.size(); ++i) losses[its.runs[i]->seed] = its.values[i];
        ParetoPoint point;
        point.complete = !of_reference_.empty();
        for (const auto& [seed, loss] : of_reference_) point.complete &= losses.contains(seed);
        for (const auto& [seed, loss] : losses) {
            const bool shared = of_reference_.contains(seed);
            point.shared_seeds += shared;
            if (point.complete && !shared) continue;
            if (settings_.relative && !shared) continue;
            point.losses.push_back(settings_.relative ? loss - of_reference_.at(seed) : loss);
        }
        if (point.losses.empty()) return;
        const Run& run = *group.runs.front();
        point.name = point_name(run);
        point.found = run.job && run.job->model.custom_wiring;
        point.x = cost_of(group);
        point.spread = spread_of(point.losses, settings_.band);
        colors_.push_back(run.color);
        view_.points.push_back(std::move(point));
    }

    /// A search leaves many behind it: those are counted, all others named.
    void note_left_out() {
        const auto runs = [](size_t n) { return fmt::format("{} run{}", n, n == 1 ? "" : "s"); };
        size_t diverged = 0, early = 0;
        std::vector<UnmeasuredRun> others;
        for (const UnmeasuredRun& each : unmeasured_) {
            if (each.why == NoNumber::kDiverged)
                ++diverged;
            else if (each.why == NoNumber::kEndedEarly)
                ++early;
            else
                others.push_back(each);
        }
        if (diverged > 0) view_.notes.push_back(runs(diverged) + " diverged");
        if (early > 0)
            view_.notes.push_back(fmt::format("without {} that ended before {} tokens", runs(early),
                                              view_.at_tokens));
        for (std::string& note : notes_of(others)) view_.notes.push_back(std::move(note));
        for (std::string& note : others_.notes(true)) view_.notes.push_back(std::move(note));
        for (std::string& note : noted_.notes(false)) view_.notes.push_back(std::move(note));
    }

    void sort_points() {
        std::vector<size_t> order(view_.points.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](size_t a, size_t b) { return view_.points[a].x < view_.points[b].x; });
        std::vector<ParetoPoint> points;
        std::vector<int> colors;
        for (const size_t i : order) {
            points.push_back(view_.points[i]);
            colors.push_back(colors_[i]);
        }
        view_.points = std::move(points);
        colors_ = std::move(colors);
    }

    /// Of the complete points, by what `value_of` says of one.
    template <class ValueOf>
    std::vector<size_t> frontier_by(ValueOf value_of) const {
        const double sign = settings_.measure.more_is_better() ? -1 : 1;
        std::vector<CostAndLoss> points;
        for (const ParetoPoint& point : view_.points)
            points.push_back({point.x, point.complete ? sign * value_of(point) : NAN});
        return frontier_of(points);
    }

    void find_frontier() {
        frontier_ = frontier_by([](const ParetoPoint& point) { return point.spread.mean; });
        for (const size_t i : frontier_) view_.points[i].on_frontier = true;
        for (size_t seed = 0; seed < of_reference_.size(); ++seed)
            for (const size_t i :
                 frontier_by([&](const ParetoPoint& point) { return point.losses[seed]; }))
                ++view_.points[i].frontier_of_seeds;
    }

    void draw() {
        set_axes();
        draw_frontier();
        bool hollow = false;
        for (size_t i = 0; i < view_.points.size(); ++i) {
            hollow |= !view_.points[i].complete;
            draw_point(view_.points[i], colors_[i]);
        }
        std::vector<std::string> notes{fmt::format("after {} tokens", view_.at_tokens)};
        if (const std::string seeds = seeds_of_bars(); !seeds.empty())
            notes.push_back(fmt::format("bars{} over {} seeds: {}",
                                        view_.figure.bands.empty() ? "" : " and frontier's band",
                                        seeds, describe(settings_.band)));
        if (hollow) notes.emplace_back("hollow: not of all seeds; on no frontier");
        if (set_marks_aside(view_.figure)) notes.emplace_back(kMarksAsideNote);
        view_.notes.insert(view_.notes.begin(), notes.begin(), notes.end());
        view_.figure.footnote = fmt::format("{}", fmt::join(view_.notes, " · "));
        for (const RunPointer& run : runs_) view_.figure.sources.push_back(figure_source(*run));
    }

    /// "3", or "2 to 3" where points have fewer seeds than others; "" without a bar.
    std::string seeds_of_bars() const {
        size_t least = 0, most = 0;
        for (const ParetoPoint& point : view_.points) {
            const size_t seeds = point.losses.size();
            if (seeds < 2) continue;
            least = least == 0 ? seeds : std::min(least, seeds);
            most = std::max(most, seeds);
        }
        if (most == 0) return "";
        return least == most ? fmt::to_string(most) : fmt::format("{} to {}", least, most);
    }

    /// How a point stands in the legend. What a search has tried shares one entry.
    std::string legend_of(const ParetoPoint& point) {
        if (point.complete) return point.name;
        if (point.found)
            return std::exchange(search_explained_, true) ? "" : "own wirings, not of all seeds";
        if (of_reference_.empty()) return point.name;
        if (point.shared_seeds == 0) return point.name + " (other seeds)";
        return fmt::format("{} ({} of {} seeds)", point.name, point.shared_seeds,
                           of_reference_.size());
    }

    /// The column of roles in the CSV.
    static std::string role_of(const ParetoPoint& point) {
        std::string role = point.found ? "found" : "known";
        if (!point.complete) role = point.found ? "search" : "known, not of all seeds";
        return role + (point.on_frontier ? ", on the frontier" : "");
    }

    void set_axes() {
        constexpr double kRoom = 0.06;
        Figure& figure = view_.figure;
        figure.x = key_axis(settings_.x, view_.points.front().x, view_.points.back().x,
                            settings_.log_x, kRoom);
        if (settings_.x == "kv_bytes_per_token")
            figure.x.label = "cache (bytes per token, bfloat16)";
        if (settings_.x == kStepSeconds) figure.x.label = "seconds per training step";
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (const ParetoPoint& point : view_.points)
            for (const double y : {point.spread.mean, point.spread.lower, point.spread.upper})
                if (std::isfinite(y)) {
                    low = std::min(low, y);
                    high = std::max(high, y);
                }
        const double margin = std::max((high - low) * kRoom, std::abs(high) * 1e-4 + 1e-9);
        figure.y.range = {low - margin, high + margin};
        figure.y.label = axis_label(settings_.measure, settings_.at_tokens || before_end_
                                                           ? std::optional<MeasuredAt>(measured_at_)
                                                           : std::nullopt);
        figure.y.column = settings_.measure.name();
        if (settings_.relative) {
            figure.y.label += fmt::format(", less {}'s", point_name(*reference_->runs.front()));
            figure.y.format = NumberFormat::kSigned;
            figure.rules.push_back({true, 0, ""});
        }
        figure.legend = LegendPlace::kBelow;
    }

    /// The best mean that can be had for x or less: steps from point to point, to the right edge.
    void draw_frontier() {
        std::vector<double> x, mean, lower, upper;
        const auto add = [&](double at, const Spread& spread) {
            x.push_back(at);
            mean.push_back(spread.mean);
            lower.push_back(spread.lower);
            upper.push_back(spread.upper);
        };
        for (size_t k = 0; k < frontier_.size(); ++k) {
            const ParetoPoint& point = view_.points[frontier_[k]];
            add(point.x, point.spread);
            add(k + 1 < frontier_.size() ? view_.points[frontier_[k + 1]].x
                                         : view_.figure.x.range.upper,
                point.spread);
        }
        if (x.empty()) return;
        LineStyle style;
        style.color = kFrontierColor;
        style.shade = 1;  // no run's here
        style.dash = LineDash::kDash;
        view_.figure.series.push_back(
            {"frontier", "frontier", "frontier", make_curve(x, mean), style, "frontier"});
        if (std::all_of(lower.begin(), lower.end(), [](double y) { return std::isfinite(y); }) &&
            of_reference_.size() > 1)
            view_.figure.bands.push_back({"frontier", "frontier", make_curve(x, lower),
                                          make_curve(x, upper), kFrontierColor});
    }

    void draw_point(const ParetoPoint& point, int color) {
        LineStyle style = run_style(color);
        style.line = false;
        style.hollow = !point.complete;
        // Diamonds are found wirings alone.
        if (style.marker == Marker::kDiamond) style.marker = Marker::kPlus;
        if (style.marker == Marker::kNone) style.marker = Marker::kCircle;
        if (point.found) style.marker = Marker::kDiamond;
        const std::vector<double> x{point.x}, y{point.spread.mean};
        view_.figure.series.push_back(
            {point.name, point.name, role_of(point), make_curve(x, y), style, legend_of(point)});
        if (!std::isfinite(point.spread.lower) || point.spread.lower == point.spread.upper) return;
        LineStyle bar = run_style(color);
        bar.dash = LineDash::kSolid;
        bar.marker = Marker::kNone;
        view_.figure.series.push_back(
            {point.name, point.name, "bar",
             make_curve(std::vector<double>{point.x, point.x},
                        std::vector<double>{point.spread.lower, point.spread.upper}),
             bar, ""});
    }

    static constexpr int kFrontierColor = 6;  ///< ink

    const std::vector<RunPointer>& runs_;
    ParetoSettings settings_;
    RunFacts facts_;
    ParetoView view_;
    const RunGroup* reference_ = nullptr;
    MeasuredAt measured_at_;
    bool before_end_ = false;  ///< some runs have trained on since
    LossBySeed of_reference_;
    std::vector<int> colors_;  ///< of view_.points
    std::vector<size_t> frontier_;
    std::vector<UnmeasuredRun> unmeasured_;
    OtherQuestions others_{""}, noted_{""};  ///< than the reference's: left out, or only named
    bool search_explained_ = false;
};

}  // namespace

std::vector<size_t> frontier_of(std::span<const CostAndLoss> points) {
    std::vector<size_t> order;
    for (size_t i = 0; i < points.size(); ++i)
        if (!std::isnan(points[i].cost) && !std::isnan(points[i].loss)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return points[a].cost != points[b].cost ? points[a].cost < points[b].cost
                                                : points[a].loss < points[b].loss;
    });
    std::vector<size_t> frontier;
    for (const size_t i : order) {
        if (!frontier.empty()) {
            const CostAndLoss& last = points[frontier.back()];
            const bool equal = last.cost == points[i].cost && last.loss == points[i].loss;
            if (!equal && points[i].loss >= last.loss) continue;
        }
        frontier.push_back(i);
    }
    return frontier;
}

bool knows_cost(const Run& run, const RunFacts& facts, const std::string& x) {
    if (x == kStepSeconds) return median_step_rate(run.series->train).has_value();
    return facts.value(run, facts.find_column(x)).number.has_value();
}

ParetoView build_pareto(const std::vector<RunPointer>& runs, const ParetoSettings& settings) {
    return ParetoBuilder(runs, settings).build();
}

}  // namespace headroom
