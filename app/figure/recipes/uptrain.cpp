#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "core/base/error.h"
#include "core/base/json_numbers.h"
#include "core/base/json_text.h"
#include "panels/figure/figure_export.h"
#include "panels/study/run_arguments.h"
#include "panels/uptrain/initial_losses.h"

namespace headroom {
namespace {

/// `headroom figure uptrain (RESULT.json | RUN…)`: what each conversion costs before any training.
class UptrainRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "uptrain"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<std::string> words_;
    std::string reference_;
};

bool names_a_file(const std::string& word) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(word, ignored);
}

InitialLosses losses_of(const std::vector<std::string>& words, const std::string& reference) {
    if (words.size() == 1 && names_a_file(words[0])) {
        if (!reference.empty())
            throw UserError("--reference goes with runs, not with " + words[0], "leave it out");
        return read_initial_losses(load_json(words[0]), words[0]);
    }
    const std::vector<RunPointer> runs = read_runs(words);
    if (reference.empty())
        throw UserError("runs do not tell what they were converted from",
                        "name the original run among them with --reference");
    return initial_losses_of_runs(runs, find_run(runs, reference, "--reference"));
}

}  // namespace

std::string UptrainRecipe::help() const {
    return "Initial losses of conversions to shared heads as columns, from what `headroom convert "
           "uptrain --compare DATA --json` printed, or from the runs that began with them; 5.5 "
           "inches wide unless told otherwise";
}

void UptrainRecipe::add_options(CLI::App& command) {
    command
        .add_option("RESULT|RUN", words_,
                    "What convert uptrain --compare printed with --json, or run folders")
        ->required();
    command.add_option("--reference", reference_,
                       "Of runs: the original, for a rule at its validation loss where they began");
}

FigurePage UptrainRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const InitialLosses losses = losses_of(words_, reference_);
    for (const InitialLosses::Method& method : losses.methods)
        report["losses"][method.name] = method.loss;
    report["source_loss"] = number_or_null(losses.source);
    FigurePage page = chart_page(build_initial_losses(losses), request);
    page.description = "Drawn by headroom from " + words_[0];
    return page;
}

std::unique_ptr<FigureRecipe> make_uptrain_recipe() {
    return std::make_unique<UptrainRecipe>();
}

}  // namespace headroom
