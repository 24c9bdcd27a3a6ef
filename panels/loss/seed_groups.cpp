#include "panels/loss/seed_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace headroom {
namespace {

using Members = std::vector<const LossCurve*>;

int64_t last_step(const LossCurve& curve) {
    return curve.rows.empty() ? -1 : curve.series.step(curve.rows.back());
}

/// Where it ended, whichever of its curves is looked at.
std::optional<int64_t> last_training_step(const Run& run) {
    const auto& steps = run.series->train.step;
    return steps.empty() ? std::nullopt : std::optional<int64_t>(steps.back());
}

bool gave_up(const LossCurve& curve) {
    const RunState state = curve.series.run->series->state;
    return state == RunState::kFailed || state == RunState::kStopped ||
           state == RunState::kDiverged;
}

/// Leaves out the seeds that would empty or cut the mean for good, and says so.
Members usable_members(const Members& all, std::vector<std::string>& notes) {
    int64_t longest = 0;
    for (const LossCurve* curve : all) longest = std::max(longest, last_step(*curve));
    Members usable;
    for (const LossCurve* curve : all) {
        const Run& run = *curve->series.run;
        const int64_t last = last_step(*curve);
        if (run.repeats)
            add_note(notes, repeat_note(run));
        else if (last < 0)
            add_note(notes, fmt::format("{}: {} is left out of the mean", run.group,
                                        run.log_problem.empty()
                                            ? fmt::format("seed {} has no point yet and", run.seed)
                                            : fmt::format("the log of seed {} cannot be read; it",
                                                          run.seed)));
        else if (gave_up(*curve) && last < longest)
            add_note(notes, fmt::format("{}: seed {} {} at step {} and is left out of the mean",
                                        run.group, run.seed, name_of(run.series->state),
                                        last_training_step(run).value_or(last)));
        else
            usable.push_back(curve);
    }
    return usable;
}

/// Seeds that diverged and are part of the mean all the same: no other went further.
void note_diverged(const Members& members, std::vector<std::string>& notes) {
    for (const LossCurve* curve : members) {
        const Run& run = *curve->series.run;
        const std::optional<int64_t> step = diverged_at(run);
        if (!step) continue;
        add_note(notes, fmt::format("{}: seed {} diverged at step {}", run.group, run.seed, *step));
    }
}

void note_shortest(const Members& members, std::vector<std::string>& notes) {
    const auto [shortest, longest] = std::minmax_element(
        members.begin(), members.end(),
        [](const auto* a, const auto* b) { return last_step(*a) < last_step(*b); });
    if (last_step(**shortest) == last_step(**longest)) return;
    notes.push_back(fmt::format("{}: the mean ends at step {}, where seed {} is",
                                (*shortest)->series.run->group, last_step(**shortest),
                                (*shortest)->series.run->seed));
}

/// For each step that all members have, the index of its point in each of them.
std::vector<std::vector<size_t>> common_points(const Members& members) {
    std::vector<std::vector<size_t>> common;
    std::vector<size_t> at(members.size(), 0);
    const LossCurve& first = *members.front();
    for (size_t i = 0; i < first.rows.size(); ++i) {
        const int64_t step = first.series.step(first.rows[i]);
        at[0] = i;
        bool everywhere = true;
        for (size_t m = 1; m < members.size(); ++m) {
            const LossCurve& other = *members[m];
            const auto step_there = [&] { return other.series.step(other.rows[at[m]]); };
            while (at[m] < other.rows.size() && step_there() < step) ++at[m];
            if (at[m] == other.rows.size()) return common;
            everywhere = everywhere && step_there() == step;
        }
        if (everywhere) common.push_back(at);
    }
    return common;
}

LossCurve mean_curve(const Members& members, SeedBand band) {
    const LossCurve& first = *members.front();
    LossCurve mean;
    mean.id = first.series.run->group;
    mean.seeds = static_cast<int>(members.size());
    mean.name = fmt::format("{} ({} seeds)", mean.id, members.size());
    mean.kind = first.kind;
    mean.series = first.series;
    std::vector<double> values(members.size()), xs, seconds, raws, means, lower, upper;
    for (const std::vector<size_t>& at : common_points(members)) {
        double x = 0, raw = 0, time = 0;
        for (size_t m = 0; m < members.size(); ++m) {
            values[m] = (*members[m]->value)[at[m]];
            x += (*members[m]->x)[at[m]];
            raw += (*members[m]->raw)[at[m]];
            time += seconds_of(members[m]->series, *members[m], at[m]);
        }
        const auto n = static_cast<double>(members.size());
        const Spread spread = spread_of(values, band);
        mean.rows.push_back(first.rows[at[0]]);
        xs.push_back(std::max(x / n, xs.empty() ? x / n : xs.back()));
        seconds.push_back(time / n);
        raws.push_back(raw / n);
        means.push_back(spread.mean);
        lower.push_back(spread.lower);
        upper.push_back(spread.upper);
    }
    mean.x = make_column(std::move(xs));
    mean.seconds = make_column(std::move(seconds));
    mean.raw = make_column(std::move(raws));
    mean.value = make_column(std::move(means));
    mean.lower = make_column(std::move(lower));
    mean.upper = make_column(std::move(upper));
    return mean;
}

}  // namespace

void add_note(std::vector<std::string>& notes, const std::string& note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

std::vector<LossCurve> group_by_seed(const std::vector<LossCurve>& curves, SeedBand band,
                                     std::vector<std::string>& notes) {
    std::vector<std::pair<std::string, LossKind>> order;
    std::map<std::pair<std::string, LossKind>, Members> groups;
    for (const LossCurve& curve : curves) {
        const std::pair key{curve.series.run->group, curve.kind};
        Members& members = groups[key];
        if (members.empty()) order.push_back(key);
        members.push_back(&curve);
    }
    std::vector<LossCurve> grouped;
    for (const auto& key : order) {
        const Members members =
            groups[key].size() > 1 ? usable_members(groups[key], notes) : groups[key];
        if (members.empty()) continue;
        note_diverged(members, notes);
        if (members.size() > 1) note_shortest(members, notes);
        grouped.push_back(members.size() > 1 ? mean_curve(members, band) : *members.front());
        grouped.back().id = key.first;
        grouped.back().color = members.front()->series.run->color;
        grouped.back().shade = 0;
        if (members.size() == 1) grouped.back().name = key.first + " (1 seed)";
    }
    return grouped;
}

}  // namespace headroom
