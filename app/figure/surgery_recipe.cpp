#include "app/figure/surgery_recipe.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "panels/figure/figure_export.h"
#include "panels/surgery/surgery_report.h"

namespace headroom {

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
            report["logits"][read.title][precision.name] = precision.logits;
    FigurePage page = chart_page(build_surgery_figure(reports), request);
    page.description = "Drawn by headroom from " + files_.front();
    return page;
}

}  // namespace headroom
