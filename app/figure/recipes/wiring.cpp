#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/figure/model_arguments.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "panels/wiring/wiring_page.h"
#include "panels/wiring/wiring_view.h"

namespace headroom {
namespace {

/// `headroom figure wiring (--preset NAME | --job FILE | RUN)`: where heads come from.
class WiringRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "wiring"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<std::string> presets_, jobs_, runs_, sets_;
    std::string color_ = "role", table_ = "both";
};

}  // namespace

std::string WiringRecipe::help() const {
    return "Where each head's keys and values come from, as the studio's page Wiring draws it: a "
           "row for each layer, a column for each key/value head";
}

void WiringRecipe::add_options(CLI::App& command) {
    command.add_option("--preset", presets_, "A model that `headroom presets` lists")
        ->allow_extra_args(false);
    command.add_option("--job", jobs_, "A job file")->allow_extra_args(false);
    command.add_option("RUN", runs_, "A run folder");
    command.add_option("--set", sets_, "KEY=VALUE: change a key of the preset or job file")
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option("--color", color_,
                    "role: whether a head is projected or reused; owner: the layer whose cache it "
                    "reads")
        ->check(one_of({"role", "owner"}))
        ->capture_default_str();
    command.add_option("--table", table_, "keys, values or both")
        ->check(one_of({"keys", "values", "both"}))
        ->capture_default_str();
}

FigurePage WiringRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const std::vector<NamedModel> models = read_models(presets_, jobs_, runs_, sets_);
    if (models.size() != 1)
        throw UserError(fmt::format("figure wiring draws one model, not {}", models.size()),
                        "name one; `figure panels` puts figures beside each other");
    const NamedModel& model = models.front();
    auto view =
        std::make_shared<WiringView>(build_wiring_view(model.model, DType::kBF16, model.name));
    report["model"] = view->title;
    report["cache_bytes_per_token"] = view->cache_bytes_per_token;
    report["cache_bytes_saved"] = view->cache_bytes_saved;
    report["params_saved"] = view->params_saved;
    WiringPageOptions options;
    options.keys = table_ != "values";
    options.values = table_ != "keys";
    options.by_owner = color_ == "owner";
    options.dark = request.dark;
    options.notes = request.notes;
    options.title = request.title;
    PageWishes wishes;
    wishes.shape.width_in = request.width_in.value_or(0);
    wishes.shape.height_in = request.height_in.value_or(0);
    wishes.dots_per_inch = FigurePage{}.dots_per_inch;
    return with_wishes(wiring_page(std::move(view), options), wishes);
}

std::unique_ptr<FigureRecipe> make_wiring_recipe() {
    return std::make_unique<WiringRecipe>();
}

}  // namespace headroom
