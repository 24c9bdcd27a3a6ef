#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/figure/probe_arguments.h"
#include "app/figure/range_argument.h"
#include "app/number_checks.h"
#include "app/word_check.h"
#include "panels/probe/similarity_view.h"

namespace headroom {
namespace {

/// `headroom figure similarity`: maps of runs side by side on one scale.
class SimilarityRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "similarity"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    SimilaritySettings settings() const;

    std::vector<std::string> words_;
    std::string what_ = "heads", tensor_, colors_, range_ = "full", scale_ = "linear";
    std::optional<int64_t> layer_;
    int64_t step_ = -1;
    bool no_diagonal_ = false;
};

}  // namespace

std::string SimilarityRecipe::help() const {
    return "How alike heads, tokens or layers are: maps of runs side by side on one scale; 5.5 "
           "inches wide unless told otherwise";
}

void SimilarityRecipe::add_options(CLI::App& command) {
    command
        .add_option("RUN", words_,
                    "Run folders, study folders for all their runs, or files of headroom probe "
                    "similarity")
        ->required();
    command
        .add_option("--what", what_,
                    "heads or tokens (cosines), cka (between layers) or cka-other (with another "
                    "model's)")
        ->check(one_of({"heads", "tokens", "cka", "cka-other"}))
        ->capture_default_str();
    command.add_option("--tensor", tensor_,
                       "Of heads: output, value, key, query or weights; of tokens: stream, input, "
                       "value or key");
    command.add_option("--layer", layer_, "From 0 (the last)")->check(not_below_zero, "FROM 0");
    command.add_option("--step", step_, "Which probes of runs (the newest)")
        ->check(not_below_zero, "FROM 0");
    command
        .add_option("--colors", colors_,
                    "viridis, cividis, magma, RdBu, PuOr or vik (vik where values have both "
                    "signs, else viridis)")
        ->check(one_of(color_map_names(), LetterCase::kIgnored));
    command.add_option("--range", range_, "full, p2, 3sigma or LOWER:UPPER, for all maps")
        ->capture_default_str();
    command.add_option("--scale", scale_, "linear, log or symlog")
        ->check(one_of(value_scale_names()))
        ->capture_default_str();
    command.add_flag("--no-diagonal", no_diagonal_,
                     "Leave the diagonal, which is 1, out of the maps and of the range");
}

SimilaritySettings SimilarityRecipe::settings() const {
    SimilaritySettings result;
    for (const SimilarityMap map : {SimilarityMap::kHeads, SimilarityMap::kTokens,
                                    SimilarityMap::kCka, SimilarityMap::kCkaOther})
        if (name_of(map) == what_) result.map = map;
    result.tensor = tensor_;
    result.layer = layer_;
    result.diagonal = !no_diagonal_;
    if (!colors_.empty()) result.colors = parse_color_map(colors_);
    parse_color_range(range_, result.range);
    result.range.scale = parse_value_scale(scale_);
    return result;
}

FigurePage SimilarityRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const SimilaritySettings chosen = settings();
    LeftOutProbes left_out;
    const std::vector<ProbeSource> sources = find_probes(words_, "similarity", step_, left_out);
    HeatmapFigure figure = build_similarity(sources, chosen);
    left_out.say(figure.footnote, report);
    FigurePage page = map_page(std::move(figure), request, report);
    for (size_t i = 0; i < sources.size(); ++i)
        report["maps"][i]["file"] = sources[i].file.string();
    return page;
}

std::unique_ptr<FigureRecipe> make_similarity_recipe() {
    return std::make_unique<SimilarityRecipe>();
}

}  // namespace headroom
