#include "panels/loss/loss_view.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "panels/figure/clip.h"
#include "panels/figure/palette.h"
#include "panels/loss/compute_share.h"
#include "panels/loss/kept_curves.h"
#include "panels/loss/long_curve.h"
#include "panels/loss/loss_cache.h"
#include "panels/loss/loss_figure.h"
#include "panels/loss/loss_questions.h"
#include "panels/loss/relative.h"
#include "panels/loss/seed_groups.h"
#include "panels/loss/smoothing.h"
#include "panels/study/run_pairing.h"
#include "panels/study/run_question.h"
#include "panels/study/run_source.h"

namespace headroom {
namespace {

struct Baseline {
    RunPointer run;  ///< null for absolute losses
    std::span<const RunPointer> runs;
    const LossReference* reference = nullptr;  ///< of LossX::kComputeShare
};

RunPointer find_run(std::span<const RunPointer> runs, const std::string& id) {
    for (const RunPointer& run : runs)
        if (run->id == id) return run;
    return nullptr;
}

/// Where the rows that count lie on the x axis; time counts from the start of each run. Nothing for
/// steps, and where a share of compute is not known.
std::vector<double> places_of(const LossRows& series, LossX x, const LossReference* reference) {
    if (x == LossX::kSteps) return {};
    if (x != LossX::kComputeShare)
        return x_values(series, series.kept, x == LossX::kWall ? LossX::kSeconds : x);
    const auto scale = reference->run ? percent_per_token(*series.run, *reference) : std::nullopt;
    if (!scale) return {};
    std::vector<double> shares = x_values(series, series.kept, LossX::kTokens);
    for (double& share : shares) share *= *scale;
    return shares;
}

/// Adds a name to the note that begins so.
void add_name(std::vector<std::string>& notes, const std::string& beginning,
              const std::string& name) {
    for (std::string& note : notes) {
        if (!note.starts_with(beginning)) continue;
        const std::string names = "; " + note.substr(beginning.size()) + ";";
        if (names.find("; " + name + ";") == std::string::npos) note += "; " + name;
        return;
    }
    notes.push_back(beginning + name);
}

/// Why the difference of two runs is not that of a pair.
void note_pairing(const PairedLoss& paired, const LossCurve& curve, const Run& partner, LossX x,
                  std::vector<std::string>& notes) {
    const std::string whom = "not paired with " + partner.group;
    if (!paired.equal_steps)
        add_name(notes,
                 fmt::format("{}, whose loss at equal {} is read between its points: ", whom,
                             x == LossX::kTokens         ? "tokens"
                             : x == LossX::kComputeShare ? "compute"
                                                         : "times"),
                 curve.name);
    else if (!paired.equal_batches)
        add_name(notes, whom + ", which saw other batches: ", curve.name);
    else if (std::string problem = schedule_problem(*curve.series.run, partner); !problem.empty())
        add_name(notes, fmt::format("{}, as {}: ", whom, problem), curve.name);
}

/// Fills rows and raw: the losses themselves, or their differences from the baseline. False where
/// these are of two questions; `questions` says so.
bool fill_values(LossCurve& curve, const Baseline& baseline, const LossSettings& settings,
                 OtherQuestions& questions, std::vector<std::string>& notes) {
    if (!baseline.run) {
        curve.rows = curve.series.kept;
        std::vector<double> losses;
        losses.reserve(curve.rows.size());
        for (const uint32_t row : curve.rows) losses.push_back(curve.series.loss(row));
        curve.raw = make_column(std::move(losses));
        return true;
    }
    const RunPointer partner = partner_of(*curve.series.run, baseline.run, baseline.runs);
    if (is_other_question(curve, *partner, settings, questions)) return false;
    const LossRows other = shown_rows(partner, curve.kind, settings);
    PairedPlaces places{places_of(curve.series, settings.x, baseline.reference),
                        places_of(other, settings.x, baseline.reference)};
    if (places.series.empty() || places.baseline.empty()) places = {};
    PairedLoss paired = pair_with_baseline(curve.series, other, places, settings.unit);
    note_pairing(paired, curve, *partner, settings.x, notes);
    curve.rows = std::move(paired.rows);
    curve.raw = make_column(std::move(paired.difference));
    return true;
}

void note_bad_values(const LossCurve& curve, int64_t first_step, const LossSettings& settings,
                     std::vector<std::string>& notes) {
    add_note(notes,
             fmt::format("{}: the {} is not finite from step {} on", curve.name,
                         settings.metric.empty() ? "loss" : settings.metric.c_str(), first_step));
}

void note_bad_values(LossCurve& curve, const LossSettings& settings,
                     std::vector<std::string>& notes) {
    // What an imported log did not know yet is not bad.
    const auto first = settings.metric.empty()
                           ? curve.raw->begin()
                           : std::find_if(curve.raw->begin(), curve.raw->end(),
                                          [](double value) { return !std::isnan(value); });
    const auto bad =
        std::find_if(first, curve.raw->end(), [](double value) { return !std::isfinite(value); });
    if (bad == curve.raw->end()) return;
    const auto at = static_cast<size_t>(bad - curve.raw->begin());
    curve.first_bad_step = curve.series.step(curve.rows[at]);
    note_bad_values(curve, curve.first_bad_step, settings, notes);
}

/// Too long to be looked at row by row for one more number.
bool is_long(const Run& run) {
    return run.series->train.step.size() > kMostPoints;
}

/// The points at which a resumed run took up again.
void find_resumed(LossCurve& curve) {
    std::set<int64_t> steps;
    for (const uint32_t row : curve.series.resumed) steps.insert(curve.series.step(row));
    if (steps.empty()) return;
    for (size_t i = 0; i < curve.rows.size(); ++i)
        if (steps.contains(curve.series.step(curve.rows[i])))
            curve.resumed.push_back({(*curve.x)[i], (*curve.value)[i]});
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
    for (Point& point : curve.resumed) point.x *= *scale;
    return true;
}

/// Everything that is not made of the log, which may change without it.
void name_curve(LossCurve& curve, const RunPointer& run, LossKind kind) {
    curve.id = run->id;
    curve.name = run->name;
    curve.kind = kind;
    curve.color = run->color;
    curve.shade = run->shade;
    curve.series.run = run;
    curve.series.kind = kind;
}

/// False as fill_values().
bool read_points(LossCurve& curve, const Baseline& baseline, const LossSettings& settings,
                 OtherQuestions& questions, std::vector<std::string>& notes) {
    curve.series = shown_rows(curve.series.run, curve.kind, settings);
    if (!fill_values(curve, baseline, settings, questions, notes)) return false;
    curve.x = make_column(x_values(curve.series, curve.rows, settings.x));
    const bool all_seconds = curve.kind == LossKind::kTrain || !is_long(*curve.series.run);
    if (all_seconds) curve.seconds = make_column(seconds_at(curve.series, curve.rows));
    const bool smoothed =
        settings.smoothing > 0 && (curve.kind == LossKind::kTrain || settings.smooth_val);
    curve.value = smoothed ? make_column(smooth(*curve.raw, settings.smoothing)) : curve.raw;
    find_resumed(curve);
    note_bad_values(curve, settings, notes);
    return true;
}

/// A run of the baseline's own variant and seed: its difference is zero, which the rule shows.
bool is_reference(const Run& run, const Baseline& baseline) {
    return baseline.run && partner_of(run, baseline.run, baseline.runs)->id == run.id;
}

std::vector<LossKind> shown_kinds(const LossSettings& settings) {
    if (!settings.metric.empty()) return {LossKind::kTrain};
    std::vector<LossKind> kinds;
    if (settings.train) kinds.push_back(LossKind::kTrain);
    if (settings.val) kinds.push_back(LossKind::kVal);
    return kinds;
}

std::vector<FigureSource> sources_of(std::span<const RunPointer> runs,
                                     const LossSettings& settings) {
    std::vector<FigureSource> sources;
    for (const RunPointer& run : runs) {
        const bool hidden = is_hidden(*run, settings);
        if (hidden && run->id != settings.baseline) continue;
        sources.push_back(figure_source(*run));
    }
    return sources;
}

/// Makes a view, variant by variant, so that what a long curve is made from can go before the next
/// one comes.
class Builder {
  public:
    /// `apart`: though their mean was asked for, seeds are shown one by one.
    Builder(std::span<const RunPointer> runs, LossSettings settings, const LossBuild& build,
            bool apart)
        : runs_(runs),
          settings_(std::move(settings)),
          build_(build),
          baseline_{nullptr, runs, &reference_} {
        if (apart) notes_.emplace_back("times of day have no mean: seeds one by one");
        if (!settings_.baseline.empty()) {
            baseline_.run = find_run(runs, settings_.baseline);
            if (!baseline_.run)
                notes_.push_back("the baseline " + settings_.baseline +
                                 " is not among the runs: losses are absolute");
            else
                left_out_ = OtherQuestions(baseline_.run->group);
        }
        if (const RunPointer run = find_run(runs, settings_.reference))
            reference_ = loss_reference(run);
    }

    LossView build() {
        if (keeps_curves())
            build_.kept->begin({settings_.metric, settings_.x, settings_.smoothing,
                                settings_.smooth_val, settings_.raw_behind},
                               close_);
        const std::vector<std::vector<RunPointer>> parts = this->parts();
        curves_of_.resize(parts.size());
        const std::vector<size_t> order = making_order(parts);
        for (size_t i = 0; i < order.size(); ++i) {
            add(parts[order[i]], curves_of_[order[i]]);
            const bool lacks_curves = build_.was_whole && i + 1 < order.size() &&
                                      (!keeps_curves() || was_there(parts[order[i + 1]]));
            if (build_.progress && !lacks_curves &&
                Clock::now() - last_progress_ > build_.progress_every) {
                build_.progress(view("more runs are being read"));
                last_progress_ = Clock::now();
            }
        }
        if (keeps_curves()) build_.kept->settle();
        return view();
    }

  private:
    using Clock = std::chrono::steady_clock;

    /// Of which only the final loss is drawn.
    bool is_ruled(const Run& run) const {
        if (baseline_.run) return false;
        return std::any_of(runs_.begin(), runs_.end(), [&](const RunPointer& named) {
            const bool same =
                settings_.group_seeds ? named->group == run.group : named->id == run.id;
            return same && (settings_.ruled.contains(named->id) || named == reference_.run);
        });
    }

    /// A rule at the final loss of each run that is ruled, or of each variant at the mean over its
    /// seeds.
    std::vector<FigureRule> final_losses() const {
        struct Ruled {
            RunPointer first;
            std::vector<double> losses;
        };
        std::vector<Ruled> groups;  // in the order of the runs
        for (const RunPointer& run : runs_) {
            if (!is_ruled(*run) || settings_.left_out.contains(run->id)) continue;
            const std::optional<double> loss = loss_reference(run).final_loss;
            if (!loss) continue;
            auto group = std::find_if(groups.begin(), groups.end(), [&](const Ruled& each) {
                return settings_.group_seeds && each.first->group == run->group;
            });
            if (group == groups.end()) group = groups.insert(groups.end(), {run, {}});
            group->losses.push_back(*loss);
        }
        std::vector<FigureRule> rules;
        for (const auto& [run, losses] : groups) {
            const std::string& name = losses.size() > 1 ? run->group : run->name;
            const double mean = std::accumulate(losses.begin(), losses.end(), 0.0) /
                                static_cast<double>(losses.size());
            const std::string seeds =
                losses.size() > 1 ? fmt::format(" ({} seeds)", losses.size()) : "";
            rules.push_back(
                {true, mean, name + seeds + ", final loss", run_style(run->color, run->shade)});
        }
        return rules;
    }

    /// Runs whose curves are made together: the seeds of one variant, or one run, behind the other
    /// seeds of its variant.
    std::vector<std::vector<RunPointer>> parts() const {
        std::vector<std::vector<RunPointer>> parts;
        for (const RunPointer& run : runs_) {
            if (is_reference(*run, baseline_) || is_ruled(*run)) continue;
            if (settings_.group_seeds && settings_.left_out.contains(run->id)) continue;
            const auto last = std::find_if(parts.rbegin(), parts.rend(), [&](const auto& part) {
                return part.front()->group == run->group;
            });
            if (last == parts.rend())
                parts.push_back({run});
            else if (settings_.group_seeds)
                last->push_back(run);
            else
                parts.insert(last.base(), {run});
        }
        return parts;
    }

    /// Whether each curve is made of one run alone.
    bool keeps_curves() const {
        return build_.kept && !build_.all_points && !baseline_.run && !settings_.group_seeds &&
               settings_.x != LossX::kComputeShare;
    }

    /// Whether the view before had a curve of one of them.
    bool was_there(const std::vector<RunPointer>& part) const {
        if (!keeps_curves()) return false;
        const std::vector<LossKind> kinds = shown_kinds(settings_);
        return std::any_of(part.begin(), part.end(), [&](const RunPointer& run) {
            return std::any_of(kinds.begin(), kinds.end(),
                               [&](LossKind kind) { return build_.kept->has(*run, kind); });
        });
    }

    /// What the view before had first, so that what is shown of this one on the way loses nothing.
    std::vector<size_t> making_order(const std::vector<std::vector<RunPointer>>& parts) const {
        std::vector<size_t> order(parts.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::stable_partition(order.begin(), order.end(),
                              [&](size_t part) { return was_there(parts[part]); });
        return order;
    }

    /// The curves of these runs, at the end of `into`.
    void add(const std::vector<RunPointer>& together, std::vector<LossCurve>& into) {
        std::vector<LossCurve> curves;
        for (const RunPointer& run : together) {
            const bool by_time = settings_.x == LossX::kSeconds || settings_.x == LossX::kWall;
            if (by_time && run->series->train.step.size() > 0 && !has_times(*run, settings_.x)) {
                timeless_.push_back(run->name);
                continue;
            }
            if (!settings_.group_seeds) note_divergence(*run);
            for (const LossKind kind : shown_kinds(settings_)) try {
                    if (keeps_curves() && add_kept(run, kind, into)) continue;
                    LossCurve curve;
                    name_curve(curve, run, kind);
                    if (read(curve)) curves.push_back(std::move(curve));
                } catch (const UserError& error) {
                    add_note(notes_, run->name + " is left out: " + error.what());
                }
        }
        if (settings_.group_seeds) curves = group_by_seed(curves, settings_.band, group_notes_);
        for (LossCurve& curve : curves) {
            finish_curve(curve, close_, shows_raw(curve, settings_), build_.all_points);
            if (keeps_curves()) build_.kept->keep(curve);
            show(std::move(curve), into);
        }
    }

    void note_divergence(const Run& run) {
        if (const std::optional<int64_t> step = diverged_at(run))
            add_note(notes_, fmt::format("{} diverged at step {}", run.name, *step));
    }

    void show(LossCurve curve, std::vector<LossCurve>& into) const {
        curve.visible = !settings_.hidden.contains(curve.id);
        into.push_back(std::move(curve));
    }

    /// The curve of a run whose log is as it was when the last view was made.
    bool add_kept(const RunPointer& run, LossKind kind, std::vector<LossCurve>& into) {
        const KeptCurves::Found kept = build_.kept->find(run, kind);
        if (!kept.curve) return false;
        if (const auto series = pyramid_series(kind, settings_))
            build_.cache->still_wants(*run, *series);
        LossCurve curve = *kept.curve;
        name_curve(curve, run, kind);
        if (kept.looks_elsewhere) {
            if (!look_again(curve)) return false;
            build_.kept->keep(curve);
        }
        if (curve.first_bad_step != 0)
            note_bad_values(curve, curve.first_bad_step, settings_, notes_);
        show(std::move(curve), into);
        return true;
    }

    /// Turns a kept curve to what is looked at closely now. False if it has to be made anew for
    /// that.
    bool look_again(LossCurve& curve) {
        if (!curve.value_outline) return !curve.is_sampled();
        const SeriesPyramid* pyramid = pyramid_of(curve);
        if (!pyramid) return false;
        look_from_afar(curve, settings_);
        if (close_) look_closely(curve, *pyramid, *close_, settings_);
        return true;
    }

    /// False if there is no place for it on the x axis, or none beside the baseline.
    bool read(LossCurve& curve) {
        if (const SeriesPyramid* pyramid = pyramid_of(curve)) {
            curve.series = unread_rows(curve.series.run, curve.kind, settings_);
            fill_from_pyramid(curve, *pyramid, settings_);
            if (close_) look_closely(curve, *pyramid, *close_, settings_);
            curve.first_bad_step = pyramid->first_bad_step;
            const bool from_the_first =
                curve.first_bad_step == curve.series.run->series->train.step.front();
            if (from_the_first && !settings_.metric.empty()) curve.first_bad_step = 0;  // as above
            if (curve.first_bad_step != 0)
                note_bad_values(curve, curve.first_bad_step, settings_, notes_);
            return true;
        }
        if (!read_points(curve, baseline_, settings_, left_out_, notes_)) return false;
        return settings_.x != LossX::kComputeShare || scale_to_share(curve, reference_, notes_);
    }

    const SeriesPyramid* pyramid_of(const LossCurve& curve) {
        const Run& run = *curve.series.run;
        const auto series = pyramid_series(curve.kind, settings_);
        if (build_.all_points || !series || !is_long(run) || baseline_.run ||
            settings_.group_seeds || settings_.x == LossX::kComputeShare)
            return nullptr;
        if (!settings_.metric.empty() && !find_series(*run.series, settings_.metric))
            return nullptr;  // an imported log that does not know it
        return build_.cache->pyramid(run, *series, settings_.smoothing);
    }

    LossView view(const std::string& note_of_part = "") const {
        LossView view;
        for (const std::vector<LossCurve>& curves : curves_of_)
            view.curves.insert(view.curves.end(), curves.begin(), curves.end());
        view.notes = notes_;
        note_timeless(view.notes);
        if (!note_of_part.empty()) view.notes.push_back(note_of_part);
        for (const std::string& note : group_notes_) view.notes.push_back(note);
        if (std::string note = hidden_seeds_note(runs_, settings_, view.curves); !note.empty())
            view.notes.push_back(std::move(note));
        note_questions(view);
        const std::string baseline_name = name_of_baseline();
        for (FigureRule& rule : final_losses()) view.figure.rules.push_back(std::move(rule));
        fill_loss_figure(view, settings_, baseline_name);
        view.figure.sources = sources_of(runs_, settings_);
        return view;
    }

    /// What no axis shows: that losses beside each other need not be comparable.
    void note_questions(LossView& view) const {
        if (baseline_.run) {
            for (std::string& note : left_out_.notes(true)) view.notes.push_back(std::move(note));
            view.why_empty = left_out_.why_empty();
            return;
        }
        const auto first = std::find_if(
            view.curves.begin(), view.curves.end(),
            [](const LossCurve& curve) { return curve.visible && curve.series.run->job; });
        if (first == view.curves.end()) return;
        const RunPointer asked = first->series.run;
        OtherQuestions others(asked->group);
        for (const LossCurve& curve : view.curves)
            if (curve.visible)
                is_other_question(curve, *partner_of(*curve.series.run, asked, runs_), settings_,
                                  others);
        for (const RunPointer& run : runs_) {
            if (!is_ruled(*run) || settings_.left_out.contains(run->id) ||
                !settings_.metric.empty())
                continue;
            const Run& partner = *partner_of(*run, asked, runs_);
            others.add(run->group, *run, partner,
                       question_difference(*run, partner, LossOver::kValidation));
        }
        for (std::string& note : others.notes(false)) view.notes.push_back(std::move(note));
    }

    /// Many runs make one sentence.
    void note_timeless(std::vector<std::string>& notes) const {
        constexpr size_t kNamed = 3;
        if (timeless_.size() > kNamed)
            return add_note(notes, fmt::format("{} runs are left out: their logs do not say when "
                                               "they ran",
                                               timeless_.size()));
        for (const std::string& name : timeless_)
            add_note(notes, name + " is left out: its log does not say when it ran");
    }

    /// Each run is compared with the one of its seed, where that is another than the chosen one.
    std::string name_of_baseline() const {
        if (!baseline_.run) return "";
        if (settings_.group_seeds) return baseline_.run->group;
        const bool one = std::all_of(runs_.begin(), runs_.end(), [&](const RunPointer& run) {
            return partner_of(*run, baseline_.run, runs_)->id == baseline_.run->id;
        });
        if (one) return baseline_.run->name;
        const bool all_have_it =
            std::all_of(runs_.begin(), runs_.end(), [&](const RunPointer& run) {
                return run->seed == partner_of(*run, baseline_.run, runs_)->seed;
            });
        const std::string own = baseline_.run->group + " of the same seed";
        return all_have_it ? own : fmt::format("{}, else of seed {}", own, baseline_.run->seed);
    }

    std::span<const RunPointer> runs_;
    const LossSettings settings_;
    const LossBuild& build_;
    Baseline baseline_;
    LossReference reference_;
    std::optional<Range> close_ =
        settings_.x_range ? std::optional(with_margins(*settings_.x_range)) : std::nullopt;
    std::vector<std::vector<LossCurve>> curves_of_;  ///< by part, those that are made
    std::vector<std::string> notes_, group_notes_;
    std::vector<std::string> timeless_;  ///< names of those without times
    OtherQuestions left_out_{""};        ///< than the baseline's
    Clock::time_point last_progress_ = Clock::now();
};

}  // namespace

bool is_hidden(const Run& run, const LossSettings& settings) {
    if (!settings.group_seeds) return settings.hidden.contains(run.id);
    return settings.hidden.contains(run.group) || settings.left_out.contains(run.id);
}

/// Seeds run at different times of day, of which there is no mean: their curves one by one.
static LossSettings without_means(LossSettings settings, std::span<const RunPointer> runs) {
    std::set<std::string> hidden;
    for (const RunPointer& run : runs)
        if (is_hidden(*run, settings)) hidden.insert(run->id);
    settings.hidden = std::move(hidden);
    settings.left_out.clear();
    settings.group_seeds = false;
    return settings;
}

LossView build_loss(std::span<const RunPointer> runs, const LossSettings& settings,
                    const LossBuild& build) {
    LossCache own;
    LossBuild all = build;
    if (!all.cache) all.cache = &own;
    const bool by_day = settings.group_seeds && settings.x == LossX::kWall;
    LossView view =
        Builder(runs, by_day ? without_means(settings, runs) : settings, all, by_day).build();
    if (build.cache) build.cache->settle();
    return view;
}

std::vector<std::string> names_out_of_sight(const LossView& view, const LossSettings& settings,
                                            const Figure& drawn) {
    std::vector<std::string> names;
    if (!settings.x_range && !settings.y_range) return names;
    const std::vector<std::string> ids = out_of_sight(drawn);
    for (const LossCurve& curve : view.curves)
        if (std::find(ids.begin(), ids.end(), curve.id) != ids.end() &&
            std::find(names.begin(), names.end(), curve.name) == names.end())
            names.push_back(curve.name);
    return names;
}

const CurvePoints& LossCurve::near(double at) const {
    const bool is_close =
        close && !close->x->empty() && at >= close->x->front() && at <= close->x->back();
    return is_close ? *close : *this;
}

}  // namespace headroom
