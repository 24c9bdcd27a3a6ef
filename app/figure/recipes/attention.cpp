#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/figure/probe_arguments.h"
#include "app/figure/range_argument.h"
#include "app/number_checks.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "panels/inspector/attention_figure.h"
#include "panels/inspector/record_source.h"

namespace headroom {
namespace {

/// `headroom figure attention`: one head of runs side by side, or all heads of one.
class AttentionRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "attention"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    AttentionFigureSettings settings() const;

    std::vector<std::string> words_;
    int layer_ = 0, head_ = 0;
    int64_t step_ = -1, most_cells_ = 1024;
    std::string colors_, range_ = "full", scale_ = "linear", cells_ = "mean", query_;
    double heat_ = InspectorSettings{}.heat;
    bool atlas_ = false, logits_ = false, difference_ = false, picture_ = false;
};

}  // namespace

std::string AttentionRecipe::help() const {
    return "What a head attends to: maps of runs side by side on one scale, their differences, or "
           "all heads of one run; 5.5 inches wide unless told otherwise";
}

void AttentionRecipe::add_options(CLI::App& command) {
    command
        .add_option("RUN", words_,
                    "Files of headroom probe attention, run folders, or study folders for all "
                    "their runs")
        ->required();
    command.add_option("--layer", layer_, "From 0")->capture_default_str();
    command.add_option("--head", head_, "From 0")->capture_default_str();
    command.add_flag("--atlas", atlas_, "All heads of one run, layers by heads");
    command.add_option("--query", query_,
                       "Of images: what this position (cls, r0c3, or its number) attends to, or "
                       "all of them on average (mean), over the picture");
    command.add_flag("--picture", picture_,
                     "With --query: the picture itself in greys under the colours");
    command.add_option("--heat", heat_, "With --picture: how much of it the colours cover, 0 to 1")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    command.add_flag("--logits", logits_, "Scores before the softmax, in place of weights");
    command.add_flag("--difference", difference_, "Each other run minus the first");
    command.add_option("--step", step_, "Which probes of runs (the newest)")
        ->check(not_below_zero, "FROM 0");
    command.add_option("--cells", cells_, "Where a cell covers several entries: mean or max")
        ->check(one_of({"mean", "max"}))
        ->capture_default_str();
    command.add_option("--most-cells", most_cells_, "On a side of a map")
        ->check(CLI::Range(1, 8192))
        ->capture_default_str();
    command
        .add_option("--colors", colors_,
                    "viridis, cividis or magma; for logits and differences RdBu, PuOr or vik")
        ->check(one_of(color_map_names(), LetterCase::kIgnored));
    command.add_option("--range", range_, "full, p2, 3sigma or LOWER:UPPER, for all maps")
        ->capture_default_str();
    command.add_option("--scale", scale_, "linear, log or symlog")
        ->check(one_of(value_scale_names()))
        ->capture_default_str();
}

AttentionFigureSettings AttentionRecipe::settings() const {
    AttentionFigureSettings result;
    result.head = {layer_, head_};
    result.most_cells = most_cells_;
    result.query = query_;
    result.picture = picture_;
    InspectorSettings& colors = result.colors;
    colors.heat = heat_;
    colors.signal = logits_ ? MapSignal::kLogits : MapSignal::kWeights;
    colors.value = cells_ == "max" ? CellValue::kMax : CellValue::kMean;
    colors.compare = difference_ ? CompareMode::kDifference : CompareMode::kSideBySide;
    if (!colors_.empty()) {
        const ColorMap map = parse_color_map(colors_);
        if (is_diverging(map) != (logits_ || difference_))
            throw UserError(
                "--colors " + colors_ +
                    (is_diverging(map) ? " is for values of both signs"
                                       : " is for values of one sign"),
                is_diverging(map) ? "use viridis, cividis or magma" : "use RdBu, PuOr or vik");
        (is_diverging(map) ? colors.diverging : colors.sequential) = map;
    }
    ColorChoice range;
    parse_color_range(range_, range);
    colors.range = range.mode;
    colors.percentile = range.percentile;
    colors.sigmas = range.sigmas;
    colors.lower = range.lower;
    colors.upper = range.upper;
    colors.scale = parse_value_scale(scale_);
    return result;
}

FigurePage AttentionRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    if (picture_ && query_.empty())
        throw UserError("--picture is for what one position attends to",
                        "add --query cls, mean or a patch such as r0c3");
    const AttentionFigureSettings chosen = settings();
    LeftOutProbes left_out;
    const std::vector<ProbeSource> probes = find_probes(words_, "attention", step_, left_out);
    std::vector<MapSourcePointer> sources;
    for (const ProbeSource& probe : probes)
        sources.push_back(std::make_shared<RecordSource>(probe.file, probe.name));
    if (atlas_ && (sources.size() > 1 || difference_))
        throw UserError("--atlas shows all heads of one run", "name one run");
    HeatmapFigure figure = atlas_ ? build_attention_atlas(sources[0], chosen)
                                  : build_attention_figure(sources, chosen);
    for (const ProbeSource& probe : probes) figure.sources.push_back(probe.source);
    left_out.say(figure.footnote, report);
    return map_page(std::move(figure), request, report);
}

std::unique_ptr<FigureRecipe> make_attention_recipe() {
    return std::make_unique<AttentionRecipe>();
}

}  // namespace headroom
