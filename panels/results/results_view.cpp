#include "panels/results/results_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/stats/paired_test.h"
#include "panels/figure/marks_aside.h"
#include "panels/figure/palette.h"
#include "panels/results/key_axis.h"
#include "panels/results/results_lines.h"
#include "panels/study/measure_label.h"
#include "panels/study/run_facts.h"
#include "panels/study/run_pairing.h"
#include "panels/study/run_question.h"
#include "panels/study/run_source.h"

namespace headroom {
namespace {

/// Lines of variants keep the colours that these have everywhere; lines of a key's values, and
/// those that would look alike, take one after the other.
std::vector<int> colors_of(const std::vector<RunLine>& lines, const ResultsSettings& settings) {
    std::vector<int> colors;
    std::set<int> distinct;
    for (const RunLine& line : lines) {
        colors.push_back(line.color);
        distinct.insert(line.color);
    }
    if (!settings.by.empty() || distinct.size() < lines.size())
        std::iota(colors.begin(), colors.end(), 0);
    return colors;
}

/// The numbers of one line by seed, for the best x of each.
using BySeed = std::map<int64_t, std::map<double, double>>;

/// The group that is a rule, or what the others' numbers are less of.
struct Reference {
    std::string group;  ///< "": none
    RunPointer first = nullptr;
    std::map<int64_t, double> by_seed = {};

    /// Where the rule is.
    std::optional<double> rule(bool relative) const {
        if (by_seed.empty()) return std::nullopt;
        double sum = 0;
        for (const auto& [seed, value] : by_seed) sum += value;
        return relative ? 0 : sum / static_cast<double>(by_seed.size());
    }
};

/// The runs of which there can be a difference to the reference, or where losses stand for
/// themselves all runs; what answers another question than the first of them is said.
std::vector<RunPointer> comparable(const std::vector<RunPointer>& runs,
                                   const ResultsSettings& settings, ResultsView& view) {
    const std::optional<LossOver> over = loss_over(settings.measure);
    RunPointer asked;
    for (const RunPointer& run : runs)
        if (run->id == settings.reference || (!asked && run->job && !run->planned)) asked = run;
    if (!over || !asked) return runs;
    OtherQuestions others(asked->group);
    std::vector<RunPointer> kept;
    for (const RunPointer& run : runs) {
        auto difference = question_difference(*run, *partner_of(*run, asked, runs), *over);
        if (is_about(difference, settings.x) || is_about(difference, settings.by)) difference = "";
        if (!run->planned) others.add(run->group, *run, *asked, difference);
        if (difference.empty() || !settings.relative) kept.push_back(run);
    }
    view.notes = others.notes(settings.relative);
    if (settings.relative) view.why_empty = others.why_empty();
    return kept;
}

Reference measure_reference(const std::vector<RunPointer>& runs, const ResultsSettings& settings,
                            std::vector<std::string>& notes) {
    Reference reference;
    for (const RunPointer& run : runs)
        if (run->id == settings.reference) reference.group = run->group;
    if (reference.group.empty()) return reference;
    std::vector<RunPointer> members;
    for (const RunPointer& run : runs)
        if (run->group == reference.group) members.push_back(run);
    reference.first = members.front();
    const MeasuredRuns measured = measure_runs(members, settings.measure, {});
    notes.insert(notes.end(), measured.notes.begin(), measured.notes.end());
    for (size_t i = 0; i < measured.runs.size(); ++i)
        reference.by_seed[measured.runs[i]->seed] = measured.values[i];
    return reference;
}

/// Why no run is left to subtract the reference from; "" where none has a number yet.
std::string why_no_difference(const std::vector<RunPointer>& runs, const ResultsSettings& settings,
                              const Reference& reference) {
    if (reference.by_seed.empty())
        return fmt::format("{} has no {}", reference.group, settings.measure.name());
    for (const RunPointer& run : measure_runs(runs, settings.measure, {}).runs)
        if (run->group != reference.group && !reference.by_seed.contains(run->seed))
            return fmt::format("no other run has a seed of {}", reference.group);
    return "";
}

/// Less the reference's number of the same seed; without those whose seed it has not.
void subtract(MeasuredRuns& measured, const Reference& reference) {
    for (size_t i = 0; i < measured.runs.size();) {
        const auto other = reference.by_seed.find(measured.runs[i]->seed);
        if (other != reference.by_seed.end()) {
            measured.values[i++] -= other->second;
            continue;
        }
        measured.notes.push_back(fmt::format("{} is left out: {} has no seed {}",
                                             measured.runs[i]->id, reference.group,
                                             measured.runs[i]->seed));
        measured.erase(i);
    }
}

ResultsPoint measure_point(double x, const std::vector<RunPointer>& runs,
                           const ResultsSettings& settings, const Reference& reference,
                           BySeed& by_seed, std::vector<std::string>& notes) {
    ResultsPoint point;
    point.x = x;
    for (const RunPointer& run : runs)
        if (!run->repeats && run->series->state == RunState::kDiverged) ++point.diverged;
    MeasuredRuns measured = measure_runs(runs, settings.measure, {});
    if (settings.relative) subtract(measured, reference);
    notes.insert(notes.end(), measured.notes.begin(), measured.notes.end());
    point.n = static_cast<int>(measured.values.size());
    for (size_t i = 0; i < measured.runs.size(); ++i)
        by_seed[measured.runs[i]->seed][x] = measured.values[i];
    if (point.n > 0) point.spread = spread_of(measured.values, settings.band);
    return point;
}

bool has_point(const std::vector<ResultsLine>& lines) {
    return std::any_of(lines.begin(), lines.end(), [](const ResultsLine& line) {
        return std::any_of(line.points.begin(), line.points.end(), [](const ResultsPoint& point) {
            return point.n > 0 || point.diverged > 0;
        });
    });
}

ResultsLine measure_line(const RunLine& line, const ResultsSettings& settings,
                         const Reference& reference, std::vector<std::string>& notes) {
    ResultsLine result;
    result.name = line.name;
    BySeed by_seed;
    const Measure& measure = settings.measure;
    std::optional<double> best;
    size_t measured = 0;
    for (const auto& [x, runs] : line.cells) {
        result.points.push_back(measure_point(x, runs, settings, reference, by_seed, notes));
        const ResultsPoint& point = result.points.back();
        measured += point.n > 0;
        if (point.n > 0 && (!best || measure.is_better(point.spread.mean, *best))) {
            best = point.spread.mean;
            result.best_x = x;
        }
    }
    for (const auto& [seed, values] : by_seed)
        if (values.size() == measured)
            result.best_x_of_seeds.push_back(
                std::min_element(values.begin(), values.end(), [&](const auto& a, const auto& b) {
                    return measure.is_better(a.second, b.second);
                })->first);
    return result;
}

/// A published value where it is drawn.
struct PlacedPoint {
    const PublishedPoint* published;
    double x, y;
    bool is_difference;  ///< to the reference, laid on ours
};

/// What the measured points and the published ones span.
Range span_of(const std::vector<ResultsLine>& lines, std::optional<double> reference,
              const std::vector<PlacedPoint>& published) {
    double least = reference.value_or(HUGE_VAL), most = reference.value_or(-HUGE_VAL);
    for (const PlacedPoint& point : published) {
        least = std::min(least, point.y);
        most = std::max(most, point.y);
    }
    for (const ResultsLine& line : lines)
        for (const ResultsPoint& point : line.points)
            for (const double value : {point.spread.mean, point.spread.lower, point.spread.upper})
                if (point.n > 0 && std::isfinite(value)) {
                    least = std::min(least, value);
                    most = std::max(most, value);
                }
    return {least, most};
}

/// " (3 seeds)", or where points differ in them " (1 to 3 seeds)".
std::string seeds_text(const std::vector<int>& counts) {
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    if (*most < 2) return "";
    return *least == *most ? fmt::format(" ({} seeds)", *most)
                           : fmt::format(" ({} to {} seeds)", *least, *most);
}

/// The points of a line that lack seeds which others of it have: their means are of other runs.
std::string uneven_note(const ResultsLine& line, const ResultsSettings& settings) {
    int most = 0;
    for (const ResultsPoint& point : line.points) most = std::max(most, point.n);
    std::vector<std::string> few;
    for (const ResultsPoint& point : line.points)
        if (point.n > 0 && point.n < most)
            few.push_back(fmt::format("{:g} ({})", point.x, point.n));
    if (few.empty()) return "";
    return fmt::format("{}: not of all {} seeds at {} {}", line.name, most, settings.x,
                       fmt::join(few, ", "));
}

void add_line(Figure& figure, const ResultsLine& line, int color, double top) {
    std::vector<double> x, mean, lower, upper, wild_x;
    std::vector<int> counts;
    for (const ResultsPoint& point : line.points) {
        if (point.diverged > 0) wild_x.push_back(point.x);
        if (point.n == 0) continue;
        x.push_back(point.x);
        mean.push_back(point.spread.mean);
        lower.push_back(point.spread.lower);
        upper.push_back(point.spread.upper);
        counts.push_back(point.n);
    }
    const int seeds = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
    LineStyle style = run_style(color);
    if (style.marker == Marker::kCross) style.marker = Marker::kPlus;  // crosses have diverged
    if (!x.empty()) {
        figure.series.push_back({line.name, line.name, seeds > 1 ? "mean" : "value",
                                 make_curve(x, mean), style, line.name + seeds_text(counts)});
        figure.series.back().counts = counts;
    }
    if (seeds > 1)
        figure.bands.push_back(
            {line.name, line.name, make_curve(x, lower), make_curve(x, upper), style.color});
    if (wild_x.empty()) return;
    style.marker = Marker::kCross;
    style.line = false;
    const std::vector<double> edge(wild_x.size(), top);
    figure.series.push_back({line.name, line.name, "diverged", make_curve(wild_x, edge), style,
                             line.name + ": diverged"});
    figure.series.back().has_values = false;
}

/// Values of a source that has the reference's too move by what lies between that and ours.
std::vector<PlacedPoint> place_published(const ResultsSettings& settings, const RunFacts& facts,
                                         const std::string& reference, std::optional<double> rule) {
    std::map<std::string, double> moves;
    for (const PublishedPoint& point : settings.published)
        if (rule && point.run->group == reference) moves[point.source] = *rule - point.value;
    std::vector<PlacedPoint> placed;
    for (const PublishedPoint& point : settings.published) {
        if (point.run->group == reference) continue;
        const auto move = moves.find(point.source);
        const bool moved = move != moves.end();
        placed.push_back({&point, facts.value(*point.run, settings.x).number.value_or(NAN),
                          point.value + (moved ? move->second : 0), moved});
    }
    return placed;
}

/// A series for each line and source, an entry of the legend for each source.
void add_published(Figure& figure, const std::vector<PlacedPoint>& placed,
                   const std::vector<RunLine>& lines, const std::vector<int>& colors) {
    constexpr Marker kMarkers[] = {Marker::kCircle, Marker::kSquare, Marker::kTriangle};
    std::map<std::string, LineStyle> styles;
    std::map<std::pair<std::string, size_t>, std::map<double, double>> series;
    for (const PlacedPoint& point : placed) {
        const std::string& source = point.published->source;
        if (!styles.contains(source)) {
            LineStyle style;
            style.line = false;
            style.hollow = true;
            style.marker = kMarkers[styles.size() % std::size(kMarkers)];
            styles[source] = style;
            figure.keys.push_back({source, source + " (published)", style});
        }
        for (size_t i = 0; i < lines.size(); ++i)
            if (lines[i].holds(*point.published->run)) series[{source, i}][point.x] = point.y;
    }
    for (const auto& [place, points] : series) {
        const auto& [source, line] = place;
        std::vector<double> x, y;
        for (const auto& [at, value] : points) {
            x.push_back(at);
            y.push_back(value);
        }
        LineStyle style = styles[source];
        style.color = run_style(colors[line]).color;
        figure.series.push_back({source + "/" + lines[line].name, lines[line].name,
                                 "published: " + source, make_curve(x, y), style, ""});
    }
}

/// How the hollow marks are to be read, source by source where they differ.
std::string published_note(const std::vector<PlacedPoint>& placed, const std::string& reference) {
    std::set<std::string> differences, values;
    for (const PlacedPoint& point : placed)
        (point.is_difference ? differences : values).insert(point.published->source);
    const auto of = [&](const std::set<std::string>& sources) {
        return differences.empty() || values.empty()
                   ? std::string()
                   : fmt::format(" in {}", fmt::join(sources, "; "));
    };
    std::vector<std::string> notes;
    if (!differences.empty())
        notes.push_back(fmt::format("hollow{}: published differences to {}, laid on ours",
                                    of(differences), reference));
    if (!values.empty())
        notes.push_back(
            fmt::format("hollow{}: published, of another scale and other data", of(values)));
    return fmt::format("{}", fmt::join(notes, " · "));
}

FigureAxis x_axis(const std::vector<ResultsLine>& lines, const ResultsSettings& settings) {
    constexpr double kRoom = 0.04;
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const ResultsLine& line : lines)
        for (const ResultsPoint& point : line.points) {
            least = std::min(least, point.x);
            most = std::max(most, point.x);
        }
    return key_axis(settings.x, least, most, settings.log_x, kRoom);
}

std::string best_note(const ResultsLine& line, const ResultsSettings& settings) {
    if (!line.best_x || line.points.size() < 2) return "";
    const std::string_view best = settings.measure.more_is_better() ? "greatest" : "least";
    std::string note = fmt::format("{}: {} at {} {:g}", line.name, best, settings.x, *line.best_x);
    if (line.best_x_of_seeds.size() > 1)
        note += fmt::format(" (of the seeds: {:g})", fmt::join(line.best_x_of_seeds, ", "));
    return note;
}

FigureRule rule_of(const Reference& reference, double at, const ResultsSettings& settings) {
    const auto n = static_cast<int>(reference.by_seed.size());
    const std::string name = reference.group + seeds_text({n});
    return {true, at, settings.relative ? "0 = " + name : name,
            run_style(reference.first->color, reference.first->shade)};
}

void set_range(Figure& figure, const ResultsSettings& settings, Range span, double top) {
    constexpr double kRoom = 0.06;
    figure.y.label = axis_label(settings.measure);
    figure.y.column = settings.measure.name();
    figure.y.scale = settings.log_y ? AxisScale::kLog : AxisScale::kLinear;
    const double room = std::max(span.size() * kRoom, std::abs(span.upper) * 1e-4);
    const double lower = span.lower - room;
    figure.y.range = {settings.log_y && lower <= 0 ? span.lower / 1.05 : lower,
                      std::max(span.upper, top) + room};
}

}  // namespace

ResultsView build_results(const std::vector<RunPointer>& all, const ResultsSettings& given) {
    RunFacts facts;
    facts.set_runs(all);
    ResultsSettings settings = given;
    settings.x = facts.find_column(given.x);
    if (!given.by.empty()) settings.by = facts.find_column(given.by);
    ResultsView view;
    const std::vector<RunPointer> runs = comparable(all, settings, view);
    const Reference reference = measure_reference(runs, settings, view.notes);
    const std::optional<double> rule = reference.rule(settings.relative);
    const std::vector<RunLine> lines = lines_of(runs, facts, settings, reference.group, view.notes);
    for (const RunLine& line : lines)
        view.lines.push_back(measure_line(line, settings, reference, view.notes));
    const std::vector<PlacedPoint> placed = place_published(settings, facts, reference.group, rule);
    const Range span = span_of(view.lines, rule, placed);
    const bool has_points = !placed.empty() || has_point(view.lines);
    if (settings.relative && !has_points && view.why_empty.empty())
        view.why_empty = why_no_difference(runs, settings, reference);
    if (!std::isfinite(span.size()) || (view.lines.empty() && placed.empty()) ||
        (settings.relative && !has_points)) {
        view.figure.empty_text = view.why_empty;
        if (view.why_empty.empty())
            view.figure.empty_text = fmt::format("no run has a {} yet", settings.measure.name());
        return view;
    }
    const double top = span.upper + std::max(0.1 * span.size(), std::abs(span.upper) * 1e-3);
    const std::vector<int> colors = colors_of(lines, settings);
    bool seeds = false, wild = false;
    std::vector<std::string> notes;
    for (size_t i = 0; i < view.lines.size(); ++i) {
        const ResultsLine& line = view.lines[i];
        add_line(view.figure, line, colors[i], top);
        if (const std::string note = best_note(line, settings); !note.empty())
            notes.push_back(note);
        if (const std::string note = uneven_note(line, settings); !note.empty())
            notes.push_back(note);
        for (const ResultsPoint& point : line.points) {
            seeds |= point.n > 1;
            wild |= point.diverged > 0;
        }
    }
    add_published(view.figure, placed, lines, colors);
    if (!placed.empty()) notes.push_back(published_note(placed, reference.group));
    const bool bars = std::all_of(view.lines.begin(), view.lines.end(),
                                  [](const ResultsLine& line) { return line.points.size() < 2; });
    if (seeds) notes.push_back((bars ? "bars: " : "band: ") + describe(settings.band));
    if (wild) notes.emplace_back("crosses at the upper edge: training diverged");
    if (rule) view.figure.rules.push_back(rule_of(reference, *rule, settings));
    view.figure.x = x_axis(view.lines, settings);
    set_range(view.figure, settings, span, wild ? top : span.upper);
    if (settings.relative) {
        view.figure.y.label += fmt::format(", less {}'s", reference.group);
        view.figure.y.format = NumberFormat::kSigned;
    }
    if (set_marks_aside(view.figure)) notes.emplace_back(kMarksAsideNote);
    for (const RunPointer& run : runs) view.figure.sources.push_back(figure_source(*run));
    view.notes.insert(view.notes.begin(), notes.begin(), notes.end());
    view.figure.footnote = fmt::format("{}", fmt::join(view.notes, " · "));
    return view;
}

}  // namespace headroom
