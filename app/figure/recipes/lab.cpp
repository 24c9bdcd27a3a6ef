#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "core/base/json_text.h"
#include "panels/figure/figure_export.h"
#include "panels/lab/lab_figure.h"

namespace headroom {
namespace {

/// `headroom figure lab RESULT.json`: a chart of an experiment of the laboratory.
class LabRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "lab"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::string file_, chart_;
};

}  // namespace

std::string LabRecipe::help() const {
    return "A chart of what `headroom lab NAME --out FILE` found; 5.5 inches wide unless told "
           "otherwise";
}

void LabRecipe::add_options(CLI::App& command) {
    command.add_option("RESULT", file_, "What headroom lab wrote")->required();
    command.add_option("--chart", chart_, "Its name, where there are several (the first)");
}

FigurePage LabRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const LabResult result = read_lab_result(load_json(file_), file_);
    const LabChart& chart = find_chart(result, chart_);
    report["chart"] = chart.name;
    for (const LabSeries& series : chart.series) report["series"].push_back(series.name);
    FigurePage page = chart_page(build_lab_figure(chart), request);
    page.description = "Drawn by headroom from " + file_;
    return page;
}

std::unique_ptr<FigureRecipe> make_lab_recipe() {
    return std::make_unique<LabRecipe>();
}

}  // namespace headroom
