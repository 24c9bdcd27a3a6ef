#include "panels/figures/new_figure.h"

#include <algorithm>

#include "panels/study/merged_study.h"
#include "panels/study/run_facts.h"

namespace headroom {
namespace {

/// The key in which the runs differ and that a point can stand at: a rate before all others, and
/// where there is none.
std::string differing_number(const std::vector<RunPointer>& runs) {
    const std::string rate = "train.lr";
    RunFacts facts;
    facts.set_runs(runs);
    std::vector<std::string> numbers;
    for (const std::string& key : facts.differing_keys(runs))
        if (std::all_of(runs.begin(), runs.end(), [&](const RunPointer& run) {
                return !run->job || facts.value(*run, key).number;
            }))
            numbers.push_back(key);
    const bool is_rate = std::find(numbers.begin(), numbers.end(), rate) != numbers.end();
    return is_rate || numbers.empty() ? rate : numbers.front();
}

/// The focused run, or the first whose model is known.
std::vector<std::string> one_model(const std::vector<RunPointer>& runs, const StudyLook& look) {
    const RunPointer focused = look.focused();
    if (focused && focused->job && std::find(runs.begin(), runs.end(), focused) != runs.end())
        return {focused->id};
    for (const RunPointer& run : runs)
        if (run->job) return {run->id};
    return {};
}

}  // namespace

StudyFigure new_figure(const std::string& recipe, const StudyLook& look) {
    const std::vector<RunPointer> runs = own_runs(*look.study);
    StudyFigure figure{recipe, recipe, {}, {}, true};
    if (recipe == "results") figure.options["x"] = differing_number(runs);
    if (recipe == "profile") figure.options["what"] = "effective_rank";
    if (recipe == "uptrain" && look.run(look.reference))
        figure.options["reference"] = look.reference;
    if (recipe == "wiring") {
        figure.runs = one_model(runs, look);
        figure.all_runs = figure.runs.empty();
    }
    return figure;
}

}  // namespace headroom
