#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/figure/model_arguments.h"
#include "core/base/error.h"
#include "panels/architecture/architecture_page.h"

namespace headroom {
namespace {

/// `headroom figure architecture (--preset NAME | --job FILE | RUN…)`: pictures of models.
class ArchitectureRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "architecture"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<std::string> presets_, jobs_, runs_, sets_;
    std::optional<int> layer_;
    bool all_layers_ = false, mark_differences_ = false;
};

}  // namespace

std::string ArchitectureRecipe::help() const {
    return "The picture of a model, drawn from its configuration: its layers with what runs "
           "between them, and a block in detail; as wide as it needs unless told otherwise";
}

void ArchitectureRecipe::add_options(CLI::App& command) {
    const auto list = [&](const char* name, std::vector<std::string>& values, const char* help) {
        command.add_option(name, values, help)->take_all()->allow_extra_args(false);
    };
    list("--preset", presets_,
         "A model that `headroom presets` lists; may stand several times, for pictures beside each "
         "other");
    list("--job", jobs_, "A job file; may stand several times");
    command.add_option(
        "RUN", runs_,
        "Run folders, or study folders for all their runs; equal models are drawn once");
    list("--set", sets_, "KEY=VALUE: change a key of the presets and job files");
    command.add_option("--layer", layer_,
                       "Show the block of this layer in detail, counted from 0 (default: the kinds "
                       "of layers that there is room for)");
    command.add_flag("--all-layers", all_layers_, "Draw equal layers of a deep model one by one");
    command.add_flag("--mark-differences", mark_differences_,
                     "Mark what differs between two models");
}

FigurePage ArchitectureRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const std::vector<NamedModel> models = read_models(presets_, jobs_, runs_, sets_);
    if (mark_differences_ && models.size() != 2)
        throw UserError(
            fmt::format("--mark-differences compares two models, not {}", models.size()),
            "name two different models");
    std::vector<ArchitectureView> views;
    report["models"] = nlohmann::json::array();
    for (const NamedModel& model : models) {
        if (layer_ && (*layer_ < 0 || *layer_ >= model.model.n_layer))
            throw UserError(fmt::format("--layer {} is not a layer of {}", *layer_, model.name),
                            fmt::format("give 0 to {}", model.model.n_layer - 1));
        views.push_back(build_architecture(model.model, model.name));
        nlohmann::json kinds = nlohmann::json::array();
        for (const LayerKind& kind : views.back().kinds) kinds.push_back(kind.layers);
        report["models"].push_back(
            {{"name", model.name}, {"note", views.back().note}, {"kinds", kinds}});
    }
    ArchitecturePageOptions options;
    options.width_in = request.width_in;
    options.height_in = request.height_in;
    options.title = request.title;
    options.notes = request.notes;
    options.dark = request.dark;
    if (all_layers_) options.most_rows = std::numeric_limits<int>::max();
    if (layer_) options.layer = *layer_;
    options.mark_differences = mark_differences_;
    std::string description = "Drawn by headroom from the configuration of";
    for (const NamedModel& model : models) description += " " + model.name;
    return architecture_page(views, options, description);
}

std::unique_ptr<FigureRecipe> make_architecture_recipe() {
    return std::make_unique<ArchitectureRecipe>();
}

}  // namespace headroom
