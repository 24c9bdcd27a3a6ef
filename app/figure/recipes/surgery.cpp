#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "core/base/json_text.h"
#include "panels/figure/figure_export.h"
#include "panels/surgery/surgery_report.h"

namespace headroom {
namespace {

/// `headroom figure surgery REPORT.json…`: how far the residual streams of a model and of what a
/// surgery made of it are apart, layer by layer, in every precision.
class SurgeryRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "surgery"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<std::string> files_;
};

}  // namespace

std::string SurgeryRecipe::help() const {
    return "Differences of the residual stream after every layer between a model and what a "
           "surgery made of it, in float64, float32 and bfloat16, from the reports of `headroom "
           "surgery apply --report`; 5.5 inches wide unless told otherwise";
}

void SurgeryRecipe::add_options(CLI::App& command) {
    command.add_option("REPORT", files_, "What surgery apply wrote with --report")->required();
}

FigurePage SurgeryRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    std::vector<SurgeryReport> reports;
    for (const std::string& file : files_)
        reports.push_back(read_surgery_report(load_json(file), file));
    for (const SurgeryReport& read : reports)
        for (const SurgeryReport::Precision& precision : read.precisions)
            report["logits"][read.key()][precision.name] = precision.logits;
    FigurePage page = chart_page(build_surgery_figure(reports), request);
    page.description = "Drawn by headroom from " + files_.front();
    return page;
}

std::unique_ptr<FigureRecipe> make_surgery_recipe() {
    return std::make_unique<SurgeryRecipe>();
}

}  // namespace headroom
