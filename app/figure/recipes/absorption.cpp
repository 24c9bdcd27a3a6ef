#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "panels/figure/figure_export.h"
#include "panels/lab/absorption_answers.h"
#include "panels/lab/absorption_history.h"

namespace headroom {
namespace {

/// `headroom figure absorption RESULT.json`: what `headroom absorb decide` or `history` printed.
class AbsorptionRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "absorption"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::string file_, measure_ = "residual";
};

}  // namespace

std::string AbsorptionRecipe::help() const {
    return "What `headroom absorb decide --json` (the coefficients of every layer's neurons) or "
           "`headroom absorb history --json` (every layer over training) printed; 5.5 inches wide "
           "unless told otherwise";
}

void AbsorptionRecipe::add_options(CLI::App& command) {
    command.add_option("RESULT", file_, "The JSON document")->required();
    command
        .add_option("--measure", measure_,
                    "Of a history: residual, what is left of the skip, or distance, of the "
                    "coefficients from 0 or 1")
        ->check(one_of({"residual", "distance"}))
        ->capture_default_str();
}

FigurePage AbsorptionRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const std::string text = read_text(file_);
    const nlohmann::json document = parse_json(text, file_);
    Figure figure;
    if (document.is_object() && document.contains("steps"))
        figure = build_history_figure(
            read_absorption_history(text),
            measure_ == "distance" ? AbsorptionMeasure::kDistance : AbsorptionMeasure::kResidual);
    else if (measure_ == "residual")
        figure = build_absorption_figure(read_absorption(text));
    else
        throw UserError(file_ + " has no history, of which --measure distance is",
                        "leave it out, or give what `headroom absorb history --json` printed");
    if (figure.series.empty())
        throw UserError(file_ + " has no numbers to draw", figure.empty_text);
    for (const FigureSeries& series : figure.series) report["series"].push_back(series.name);
    FigurePage page = chart_page(std::move(figure), request);
    page.description = "Drawn by headroom from " + file_;
    return page;
}

std::unique_ptr<FigureRecipe> make_absorption_recipe() {
    return std::make_unique<AbsorptionRecipe>();
}

}  // namespace headroom
