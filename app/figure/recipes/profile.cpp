#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/figure/probe_arguments.h"
#include "app/number_checks.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/base/json_numbers.h"
#include "core/stats/spread.h"
#include "panels/probe/profile_view.h"

namespace headroom {
namespace {

/// `headroom figure profile`: a number per layer against depth.
class ProfileRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "profile"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    ProfileSettings settings() const;
    /// That no option says what the quantity does not ask.
    void check_used(const ProfileQuantity& quantity) const;

    std::vector<std::string> words_;
    std::string what_, tensor_, heads_, band_ = "min-max";
    int64_t step_ = -1;
    bool no_groups_ = false, log_y_ = false;
};

std::vector<std::string> quantity_names() {
    std::vector<std::string> names;
    for (const ProfileQuantity& quantity : profile_quantities()) names.emplace_back(quantity.name);
    return names;
}

nlohmann::json finite(const std::vector<double>& values) {
    nlohmann::json list = nlohmann::json::array();
    for (const double value : values) list.emplace_back(number_or_null(value));
    return list;
}

}  // namespace

std::string ProfileRecipe::help() const {
    return "A number per layer against depth, from probes of runs, with bands over seeds; 5.5 "
           "inches wide unless told otherwise";
}

void ProfileRecipe::add_options(CLI::App& command) {
    command
        .add_option("RUN", words_,
                    "Run folders, study folders for all their runs, or files of headroom probe")
        ->required();
    command.add_option("--what", what_, "The quantity")
        ->check(one_of(quantity_names()))
        ->required();
    command.add_option("--tensor", tensor_,
                       "Of similarities stream, input, value, key, output …; of weights attn.o, "
                       "mlp.up …");
    command
        .add_option("--heads", heads_, "Of numbers per head: mean, max or min of a layer (mean)")
        ->check(one_of({"mean", "max", "min"}));
    command.add_option("--step", step_, "Which probes of runs (the newest)")
        ->check(not_below_zero, "FROM 0");
    command.add_option("--band", band_, "Over seeds: min-max, sd, se or t95")
        ->check(one_of(seed_band_names()))
        ->capture_default_str();
    command.add_flag("--no-groups", no_groups_, "A line for every run, not a mean over seeds");
    command.add_flag("--logy", log_y_, "Logarithmic y axis");
}

ProfileSettings ProfileRecipe::settings() const {
    ProfileSettings result;
    result.what = what_;
    result.tensor = tensor_;
    for (const HeadSummary heads : {HeadSummary::kMean, HeadSummary::kMax, HeadSummary::kMin})
        if (name_of(heads) == heads_) result.heads = heads;
    result.group_seeds = !no_groups_;
    result.band = parse_seed_band(band_);
    result.log_y = log_y_;
    return result;
}

void ProfileRecipe::check_used(const ProfileQuantity& quantity) const {
    if (!tensor_.empty() && quantity.tensors.empty())
        throw UserError(
            fmt::format("--tensor does not go with {}, which is of none", quantity.name),
            "leave it out");
    if (!heads_.empty() && !quantity.is_per_head())
        throw UserError(
            fmt::format("--heads does not go with {}, which is one number a layer", quantity.name),
            "leave it out");
}

FigurePage ProfileRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const ProfileSettings chosen = settings();
    const ProfileQuantity& quantity = find_quantity(chosen.what);
    check_used(quantity);
    LeftOutProbes left_out;
    ProfileView view = build_profile(find_probes(words_, quantity.kind, step_, left_out), chosen);
    report["curves"] = nlohmann::json::array();
    for (const ProfileCurve& curve : view.curves)
        report["curves"].push_back(
            {{"name", curve.name}, {"seeds", curve.seeds}, {"values", finite(curve.values)}});
    report["notes"] = view.notes;
    left_out.say(view.figure.footnote, report);
    return chart_page(std::move(view.figure), request);
}

std::unique_ptr<FigureRecipe> make_profile_recipe() {
    return std::make_unique<ProfileRecipe>();
}

}  // namespace headroom
