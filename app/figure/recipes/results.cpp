#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/stats/spread.h"
#include "core/study/measure.h"
#include "panels/results/results_view.h"
#include "panels/study/run_arguments.h"
#include "panels/study/run_facts.h"

namespace headroom {
namespace {

/// `headroom figure results RUN… --x KEY`: what runs came to against a key of their jobs.
class ResultsRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "results"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<std::string> runs_;
    std::string x_, measure_ = "final", by_, reference_, relative_to_, band_ = "t95";
    bool log_x_ = false, log_y_ = false, published_ = false;
};

nlohmann::json describe_line(const ResultsLine& line) {
    nlohmann::json points = nlohmann::json::array();
    for (const ResultsPoint& point : line.points) {
        points.push_back({{"x", point.x}, {"n", point.n}, {"diverged", point.diverged}});
        if (point.n > 0) points.back()["mean"] = point.spread.mean;
    }
    return {{"name", line.name},
            {"points", points},
            {"best_x", line.best_x ? nlohmann::json(*line.best_x) : nlohmann::json()},
            {"best_x_of_seeds", line.best_x_of_seeds}};
}

}  // namespace

std::string ResultsRecipe::help() const {
    return "What runs came to against a key of their jobs: a rate, a size, a ratio; means over "
           "seeds, and crosses where training diverged; 5.5 inches wide unless told otherwise";
}

void ResultsRecipe::add_options(CLI::App& command) {
    command.add_option("RUN", runs_, "Run folders, or study folders for all their runs")
        ->required();
    command
        .add_option("--x", x_,
                    "A key such as train.lr or model.skip_ratio, or params, kv_bytes_per_token, "
                    "flops_per_token, tokens")
        ->required();
    command
        .add_option("--measure", measure_,
                    "final, best, last-5 (validation loss), perplexity, or a series of the log")
        ->capture_default_str();
    command.add_option("--by", by_,
                       "A key whose values are the lines; the runs' names unless told otherwise");
    command.add_option("--reference", reference_, "A run whose mean is a rule, not a point");
    command.add_option("--relative-to", relative_to_,
                       "The same, and numbers less its number of the same seed");
    command.add_option("--band", band_, "Over seeds: min-max, sd, se or t95")
        ->check(one_of(seed_band_names()))
        ->capture_default_str();
    command.add_flag("--published", published_,
                     "Hollow marks for what study.json says was published; with --reference their "
                     "differences to it, laid on ours");
    command.add_flag("--logx", log_x_, "Logarithmic x axis");
    command.add_flag("--logy", log_y_, "Logarithmic y axis");
}

FigurePage ResultsRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    FigureRuns read(runs_);
    const std::vector<RunPointer>& runs = read.runs;
    ResultsSettings settings;
    settings.x = x_;
    settings.measure = Measure::parse(measure_);
    settings.by = by_;
    if (!reference_.empty()) settings.reference = find_run(runs, reference_, "--reference")->id;
    settings.relative = !relative_to_.empty();
    if (settings.relative && !reference_.empty())
        throw UserError("--reference draws numbers, --relative-to differences", "leave one out");
    if (settings.relative && log_y_)
        throw UserError("differences have no logarithm", "leave --logy or --relative-to out");
    if (settings.relative) settings.reference = find_run(runs, relative_to_, "--relative-to")->id;
    settings.band = parse_seed_band(band_);
    if (published_) settings.published = published_points(runs, settings.measure);
    settings.log_x = log_x_;
    settings.log_y = log_y_;
    RunFacts facts;
    facts.set_runs(runs);
    const std::string x = facts.find_column(settings.x);
    read.leave_imported(x, settings.reference,
                        [&](const Run& run) { return facts.value(run, x).number.has_value(); });
    ResultsView view = build_results(runs, settings);
    if (view.figure.is_empty())
        throw UserError("there is nothing to draw: " + view.figure.empty_text,
                        view.why_empty.empty()
                            ? "train the runs to their ends"
                            : "take another --relative-to, or draw the losses themselves");
    report["lines"] = nlohmann::json::array();
    for (const ResultsLine& line : view.lines) report["lines"].push_back(describe_line(line));
    report["notes"] = view.notes;
    say_left_out(read, view.figure.footnote, report);
    return chart_page(std::move(view.figure), request);
}

std::unique_ptr<FigureRecipe> make_results_recipe() {
    return std::make_unique<ResultsRecipe>();
}

}  // namespace headroom
