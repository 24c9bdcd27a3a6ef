#include "panels/study/result_table.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/stats/distributions.h"
#include "panels/study/named_run.h"
#include "panels/study/run_facts.h"
#include "panels/study/runs_by_group.h"
#include "panels/study/study_comparison.h"

namespace headroom {
namespace {

using Runs = std::vector<RunPointer>;

/// The runs in the order of study.json, those that it does not name last.
Runs ordered(const Study* plan, const StudySnapshot& study) {
    Runs runs = study.runs;
    if (!plan) return runs;
    const auto place = [&](const RunPointer& run) {
        return std::find_if(plan->runs.begin(), plan->runs.end(),
                            [&](const StudyRun& planned) { return planned.id == run->id; }) -
               plan->runs.begin();
    };
    std::stable_sort(runs.begin(), runs.end(),
                     [&](const RunPointer& a, const RunPointer& b) { return place(a) < place(b); });
    return runs;
}

/// The variant of study.json that a group is, or "".
std::string variant_of(const RunGroup& group, const Study& plan) {
    for (const StudyRun& planned : plan.runs)
        if (planned.id == group.runs.front()->id) return planned.variant;
    return "";
}

/// What makes a table's columns.
class TableMaker {
  public:
    TableMaker(const Study* plan, const StudySnapshot& study, const ResultTableSettings& settings)
        : plan_(plan), runs_(ordered(plan, study)), groups_(groups_of(runs_)) {
        if (groups_.empty()) throw UserError("the study has no runs", "add some to study.json");
        table_.study = study.name;
        table_.baseline = baseline_named(settings.baseline);
        for (const RunGroup& group : groups_)
            table_.rows.push_back({group.name, group.name == table_.baseline, {}});
        facts_.set_runs(runs_);
    }

    void add(const std::string& measure) {
        if (is_exact_measure(measure))
            add_exact(measure);
        else
            add_measured(Measure::parse(measure));
    }

    void add_published() {
        if (!plan_) return;
        for (const PublishedValues& published : plan_->published) {
            table_.columns.push_back({published.measure, published.source, true});
            for (size_t i = 0; i < groups_.size(); ++i) {
                const auto value = published.values.find(variant_of(groups_[i], *plan_));
                ResultCell cell;
                if (value != published.values.end()) {
                    cell.n = 1;
                    cell.mean = value->second;
                }
                table_.rows[i].cells.push_back(cell);
            }
        }
    }

    ResultTable take() { return std::move(table_); }

  private:
    std::string baseline_named(const std::string& word) const {
        return word.empty() ? groups_.front().name : find_baseline_group(runs_, word);
    }

    void note(const std::string& text) {
        if (std::find(table_.notes.begin(), table_.notes.end(), text) == table_.notes.end())
            table_.notes.push_back(text);
    }

    void add_exact(const std::string& measure) {
        table_.columns.push_back({measure, "", true});
        for (size_t i = 0; i < groups_.size(); ++i) {
            ResultCell cell;
            cell.mean = facts_.value(*groups_[i].runs.front(), measure).number;
            cell.n = cell.mean ? 1 : 0;
            table_.rows[i].cells.push_back(cell);
        }
    }

    /// Of a variant with all seeds of a baseline of several those alone: a seed by which a search
    /// chose it from many says too much for it.
    void keep_seeds_of(const std::set<int64_t>& baseline, MeasuredRuns& measured) {
        std::set<int64_t> own;
        for (const RunPointer& run : measured.runs) own.insert(run->seed);
        if (baseline.size() < 2 ||
            !std::includes(own.begin(), own.end(), baseline.begin(), baseline.end()))
            return;
        for (size_t i = measured.runs.size(); i-- > 0;) {
            const Run& run = *measured.runs[i];
            if (baseline.contains(run.seed)) continue;
            note(fmt::format("{} is not counted: {} has no seed {}", run.id, table_.baseline,
                             run.seed));
            measured.erase(i);
        }
    }

    std::set<int64_t> seeds_of_baseline(const Measure& measure) const {
        std::set<int64_t> seeds;
        for (const RunGroup& group : groups_)
            if (group.name == table_.baseline)
                for (const RunPointer& run : measure_runs(group.runs, measure, {}).runs)
                    seeds.insert(run->seed);
        return seeds;
    }

    void add_measured(const Measure& measure) {
        table_.columns.push_back({measure.name(), "", false});
        const std::set<int64_t> seeds = seeds_of_baseline(measure);
        for (size_t i = 0; i < groups_.size(); ++i) {
            MeasuredRuns measured = measure_runs(groups_[i].runs, measure, {});
            keep_seeds_of(seeds, measured);
            for (const std::string& text : measured.notes) note(text);
            ResultCell cell;
            cell.n = static_cast<int>(measured.values.size());
            if (cell.n > 0) {
                const SampleMoments moments = moments_of(measured.values);
                cell.mean = moments.mean;
                cell.deviation = moments.deviation;
            }
            table_.rows[i].cells.push_back(cell);
        }
        compare(measure);
        mark_best(measure);
    }

    ResultCell& last_cell(const std::string& group) {
        const auto row = std::find_if(table_.rows.begin(), table_.rows.end(),
                                      [&](const ResultRow& r) { return r.name == group; });
        return row->cells.back();
    }

    void compare(const Measure& measure) {
        if (!last_cell(table_.baseline).mean) return;
        for (const GroupComparison& group :
             compare_with_group(runs_, table_.baseline, {{}, measure, {}, false}).groups) {
            ResultCell& cell = last_cell(group.name);
            cell.pairs = group.moments.n;
            if (cell.pairs == 0) {
                for (const std::string& text : group.notes) note(text);
                continue;
            }
            cell.difference = group.difference.difference;
            cell.interval = group.difference.interval;
            cell.p = group.difference.p;
            cell.p_holm = group.p_holm;
        }
    }

    void mark_best(const Measure& measure) {
        const ResultRow* best = nullptr;
        for (const ResultRow& row : table_.rows)
            if (row.cells.back().mean && row.cells.back().n > 1 &&  // one seed cannot be tested
                (!best || measure.is_better(*row.cells.back().mean, *best->cells.back().mean)))
                best = &row;
        if (!best) return;
        bool any_worse = false;
        std::vector<std::string> like_it{best->name};
        for (const GroupComparison& group :
             compare_with_group(runs_, best->name, {{}, measure, {}, false}).groups) {
            if (!group.p_holm) continue;
            if (*group.p_holm < kTestLevel)
                any_worse = true;
            else
                like_it.push_back(group.name);
        }
        if (!any_worse) return;
        for (const std::string& name : like_it) last_cell(name).best = true;
    }

    const Study* plan_;
    Runs runs_;
    std::vector<RunGroup> groups_;
    RunFacts facts_;
    ResultTable table_;
};

}  // namespace

const std::vector<std::string>& standard_measures() {
    static const std::vector<std::string> all{"params", "kv_bytes_per_token", "final"};
    return all;
}

ResultTable build_result_table(const Study* plan, const StudySnapshot& study,
                               const ResultTableSettings& settings) {
    TableMaker maker(plan, study, settings);
    const std::vector<std::string>& measures = !settings.measures.empty() ? settings.measures
                                               : plan && !plan->measures.empty()
                                                   ? plan->measures
                                                   : standard_measures();
    for (const std::string& measure : measures) maker.add(measure_of_word(measure));
    maker.add_published();
    return maker.take();
}

}  // namespace headroom
