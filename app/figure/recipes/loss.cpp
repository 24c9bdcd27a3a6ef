#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/figure/range_argument.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/base/json_numbers.h"
#include "core/base/nearest.h"
#include "core/log/named_series.h"
#include "core/stats/spread.h"
#include "panels/figure/figure_export.h"
#include "panels/loss/loss_cache.h"
#include "panels/loss/loss_settings.h"
#include "panels/loss/loss_view.h"
#include "panels/study/run.h"
#include "panels/study/run_arguments.h"

namespace headroom {
namespace {

/// `headroom figure loss RUN…`: the loss panel as a figure.
class LossRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "loss"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    void check_metric(const std::vector<RunPointer>& runs) const;
    LossSettings settings(const std::vector<RunPointer>& runs) const;

    std::vector<std::string> runs_;
    std::string x_ = "tokens", metric_;
    double smooth_ = 0.6;
    bool smooth_val_ = false;
    bool no_raw_ = false;
    std::string relative_to_, reference_;
    std::vector<std::string> rules_;
    std::string unit_ = "nats";
    std::vector<std::string> series_ = {"train", "val"};
    bool log_x_ = false, log_y_ = false, ignore_outliers_ = false, no_legend_ = false;
    std::string band_, x_range_, y_range_;
};

nlohmann::json describe_curve(const LossCurve& curve) {
    nlohmann::json result = {{"name", curve.name},
                             {"kind", curve.series.other               ? "series"
                                      : curve.kind == LossKind::kTrain ? "train"
                                                                       : "val"},
                             {"seeds", curve.seeds},
                             {"points", curve.points}};
    if (curve.rows.empty()) return result;
    result["last_step"] = curve.series.step(curve.rows.back());
    result["last_tokens"] = curve.series.tokens(curve.rows.back());
    result["last_value"] = number_or_null(curve.raw->back());
    result["last_smoothed"] = number_or_null(curve.value->back());
    return result;
}

}  // namespace

std::string LossRecipe::help() const {
    return "Training and validation loss of runs, absolute or relative to a baseline; 5.5 inches "
           "wide unless told otherwise";
}

void LossRecipe::add_options(CLI::App& command) {
    command.add_option("RUN", runs_, "Run folders, or study folders for all their runs")
        ->required();
    command
        .add_option("--x", x_,
                    "x axis: steps, tokens, seconds, wall, or compute-share: of the training of "
                    "--reference")
        ->check(one_of(loss_x_names()))
        ->capture_default_str();
    CLI::Option* metric =
        command.add_option("--metric", metric_,
                           "A series of the log in place of the losses: train/grad_norm, train/lr, "
                           "system/tokens_per_second, system/host_bytes, scalars/NAME, …");
    command.add_option("--series", series_, "What to draw: train, val or train,val")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(one_of({"train", "val"}))
        ->default_str("train,val")
        ->excludes(metric);
    command
        .add_option("--smooth", smooth_,
                    "Smoothing of the training loss as in TensorBoard, from 0 to below 1")
        ->capture_default_str();
    command.add_flag("--smooth-val", smooth_val_, "Smooth the validation loss too")
        ->excludes(metric);
    command.add_flag("--no-raw", no_raw_, "Leave out the raw line behind a smoothed one");
    command.add_option("--relative-to", relative_to_, "Draw differences from this run");
    command.add_option("--reference", reference_,
                       "The run that the others were trained on from: a rule at its final "
                       "validation loss in place of its curve, with --band at the mean over the "
                       "seeds of its variant");
    command
        .add_option("--rules", rules_,
                    "Further runs of which such a rule is drawn: NAME or several, with commas")
        ->delimiter(',')
        ->excludes(metric);
    command.add_option("--unit", unit_, "Of differences: nats or percent")
        ->check(one_of(relative_unit_names()))
        ->capture_default_str();
    command
        .add_option("--band", band_, "Draw means over seeds with a band: min-max, sd, se or t95")
        ->check(one_of(seed_band_names()));
    command.add_flag("--no-legend", no_legend_, "Leave out the names of the curves");
    command.add_flag("--logx", log_x_, "Logarithmic x axis");
    command.add_flag("--logy", log_y_, "Logarithmic y axis");
    command.add_option("--x-range", x_range_,
                       "FROM:TO of the x axis, such as 0:200k; what lies beyond is cut off");
    command.add_option("--y-range", y_range_, "FROM:TO of the y axis, such as 2.5:4");
    command.add_flag("--ignore-outliers", ignore_outliers_,
                     "y axis from the 5 % to the 95 % quantile");
}

void LossRecipe::check_metric(const std::vector<RunPointer>& runs) const {
    std::vector<std::string> names;
    for (const RunPointer& run : runs)
        for (const SeriesName& each : list_series(*run->series)) names.push_back(each.name);
    if (std::find(names.begin(), names.end(), metric_) == names.end())
        throw UserError("--metric " + metric_ + " is in none of the logs" +
                        suggestion(metric_, names));
    if (!reference_.empty())
        throw UserError("--reference rules at a loss, --metric draws something else",
                        "leave one out");
}

LossSettings LossRecipe::settings(const std::vector<RunPointer>& runs) const {
    LossSettings result;
    result.x = parse_loss_x(x_);
    result.unit = parse_relative_unit(unit_);
    if (result.unit != RelativeUnit::kNats && relative_to_.empty())
        throw UserError("--unit " + unit_ + " is of differences, and none is drawn",
                        "give --relative-to RUN");
    result.metric = metric_;
    if (!metric_.empty()) check_metric(runs);
    result.train = result.val = false;
    for (const std::string& word : series_) (word == "train" ? result.train : result.val) = true;
    if (!(smooth_ >= 0 && smooth_ < 1))
        throw UserError(fmt::format("--smooth {} is out of range", smooth_),
                        "give a weight of at least 0 and less than 1");
    result.smoothing = smooth_;
    result.smooth_val = smooth_val_;
    result.raw_behind = !no_raw_;
    result.log_x = log_x_;
    result.log_y = log_y_;
    result.ignore_outliers = ignore_outliers_;
    result.legend = !no_legend_;
    if (!x_range_.empty()) result.x_range = parse_axis_range(x_range_, "x-range", log_x_);
    if (!y_range_.empty())
        result.y_range = parse_axis_range(y_range_, "y-range", log_y_ && relative_to_.empty());
    result.group_seeds = !band_.empty();
    if (!band_.empty()) result.band = parse_seed_band(band_);
    if (result.x == LossX::kComputeShare && reference_.empty())
        throw UserError("--x compute-share is a share of another run's training",
                        "name that run with --reference");
    if (!reference_.empty() && !relative_to_.empty())
        throw UserError("--reference rules at a loss, --relative-to draws differences",
                        "leave one out");
    if (!reference_.empty()) result.reference = find_run(runs, reference_, "--reference")->id;
    for (const std::string& name : rules_) result.ruled.insert(find_run(runs, name, "--rules")->id);
    if (!rules_.empty() && !relative_to_.empty())
        throw UserError("--rules draws losses, --relative-to differences", "leave one out");
    if (!relative_to_.empty()) result.baseline = find_run(runs, relative_to_, "--relative-to")->id;
    return result;
}

FigurePage LossRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const FigureRuns read(runs_);
    const std::vector<RunPointer>& runs = read.runs;
    const LossSettings chosen = settings(runs);
    LossCache cache;
    LossView view = build_loss(runs, chosen, {.cache = &cache});
    if (view.figure.is_empty())
        throw UserError("there is nothing to draw: " + view.figure.empty_text,
                        "see headroom figure loss --help");
    if (const auto names = names_out_of_sight(view, chosen, view.figure); !names.empty()) {
        view.notes.push_back(fmt::format("outside these axes: {}", fmt::join(names, ", ")));
        view.figure.footnote += (view.figure.footnote.empty() ? "" : " · ") + view.notes.back();
    }
    report["curves"] = nlohmann::json::array();
    for (const LossCurve& curve : view.curves) report["curves"].push_back(describe_curve(curve));
    report["notes"] = view.notes;
    say_left_out(read.left_out, view.figure.footnote, report);
    FigurePage page = chart_page(std::move(view.figure), request);
    // Of long runs the drawing has outlines, and a table every point.
    page.csv = [read, settings = chosen, request] {
        Figure figure = build_loss(read.runs, settings, {.all_points = true}).figure;
        nlohmann::json unused;
        say_left_out(read.left_out, figure.footnote, unused);
        return chart_page(std::move(figure), request).csv();
    };
    return page;
}

std::unique_ptr<FigureRecipe> make_loss_recipe() {
    return std::make_unique<LossRecipe>();
}

}  // namespace headroom
