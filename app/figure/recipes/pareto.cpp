#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/number_checks.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/stats/spread.h"
#include "core/study/measure.h"
#include "panels/results/pareto_view.h"
#include "panels/study/run_arguments.h"
#include "panels/study/run_facts.h"

namespace headroom {
namespace {

/// `headroom figure pareto STUDY`: what runs came to against what they cost, with the frontier.
class ParetoRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "pareto"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<std::string> runs_;
    std::string x_ = "kv_bytes_per_token", measure_ = "final", reference_, relative_to_,
                band_ = "t95";
    std::optional<int64_t> at_;
    bool log_x_ = false;
};

nlohmann::json describe_point(const ParetoPoint& point) {
    return {{"name", point.name},
            {"x", point.x},
            {"n", point.losses.size()},
            {"mean", point.spread.mean},
            {"found", point.found},
            {"all_seeds", point.complete},
            {"on_frontier", point.on_frontier},
            {"frontier_of_seeds", point.frontier_of_seeds}};
}

}  // namespace

std::string ParetoRecipe::help() const {
    return "What runs came to against what they cost: cache bytes per token, parameters, FLOPs or "
           "time per step; each configuration a point with a bar over seeds, diamonds where the "
           "wiring is a table of its own, and the frontier; 5.5 inches wide unless told otherwise";
}

void ParetoRecipe::add_options(CLI::App& command) {
    command.add_option("RUN", runs_, "Run folders, or study folders for all their runs")
        ->required();
    command
        .add_option("--x", x_,
                    "kv_bytes_per_token, params, flops_per_token, step_seconds, or a key with "
                    "numbers")
        ->capture_default_str();
    command
        .add_option("--measure", measure_,
                    "final, best, last-5 (validation loss), perplexity, or a series of the log")
        ->capture_default_str();
    command
        .add_option("--at", at_,
                    "Compare after so many tokens, such as a rung's; the most that a run has seen "
                    "unless told otherwise")
        ->check(not_below_zero, "FROM 0");
    CLI::Option* reference = command.add_option(
        "--reference", reference_,
        "The run whose seeds count: points that lack one are hollow; the first unless told "
        "otherwise");
    command
        .add_option("--relative-to", relative_to_,
                    "Differences to this run, seed by seed, in place of losses")
        ->excludes(reference);
    command.add_option("--band", band_, "Over seeds: min-max, sd, se or t95")
        ->check(one_of(seed_band_names()))
        ->capture_default_str();
    command.add_flag("--logx", log_x_, "Logarithmic x axis");
}

FigurePage ParetoRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    FigureRuns read(runs_);
    const std::vector<RunPointer>& runs = read.runs;
    ParetoSettings settings;
    settings.x = x_;
    settings.measure = Measure::parse(measure_);
    settings.at_tokens = at_;
    settings.relative = !relative_to_.empty();
    if (settings.relative)
        settings.reference = find_run(runs, relative_to_, "--relative-to")->id;
    else if (!reference_.empty())
        settings.reference = find_run(runs, reference_, "--reference")->id;
    settings.band = parse_seed_band(band_);
    settings.log_x = log_x_;
    RunFacts facts;
    facts.set_runs(runs);
    read.leave_imported(settings.x, settings.reference,
                        [&](const Run& run) { return knows_cost(run, facts, settings.x); });
    ParetoView view = build_pareto(runs, settings);
    if (view.figure.is_empty())
        throw UserError("there is nothing to draw: " + view.figure.empty_text,
                        "train the runs to their ends, or give --at a smaller number of tokens");
    report["at_tokens"] = view.at_tokens;
    report["points"] = nlohmann::json::array();
    for (const ParetoPoint& point : view.points) report["points"].push_back(describe_point(point));
    report["notes"] = view.notes;
    say_left_out(read, view.figure.footnote, report);
    return chart_page(std::move(view.figure), request);
}

std::unique_ptr<FigureRecipe> make_pareto_recipe() {
    return std::make_unique<ParetoRecipe>();
}

}  // namespace headroom
