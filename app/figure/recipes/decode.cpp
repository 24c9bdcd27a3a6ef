#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/word_check.h"
#include "core/base/json_text.h"
#include "panels/decode_speed/decode_figure.h"
#include "panels/figure/figure_export.h"

namespace headroom {
namespace {

/// `headroom figure decode RESULT.json`: the speed of decoding, from a benchmark's result.
class DecodeRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "decode"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::string file_, plot_ = "throughput", over_ = "size", size_;
    std::optional<int64_t> batch_size_, context_;
};

const std::map<std::string, DecodePlot> kPlots = {{"prefill", DecodePlot::kPrefill},
                                                  {"throughput", DecodePlot::kThroughput},
                                                  {"share", DecodePlot::kShare}};
const std::map<std::string, DecodeOver> kOvers = {
    {"size", DecodeOver::kSize}, {"context", DecodeOver::kContext}, {"batch", DecodeOver::kBatch}};

}  // namespace

std::string DecodeRecipe::help() const {
    return "Speed of decoding as columns, from what `headroom bench decode --json` printed; 5.5 "
           "inches wide unless told otherwise";
}

void DecodeRecipe::add_options(CLI::App& command) {
    command.add_option("RESULT", file_, "What bench decode printed with --json")->required();
    command
        .add_option(
            "--plot", plot_,
            "prefill: time of 100 tokens of a prompt; throughput: tokens per second; share: "
            "of the rate at which memory was read")
        ->check(one_of({"prefill", "throughput", "share"}))
        ->capture_default_str();
    command.add_option("--over", over_, "What the groups of columns are: size, context or batch")
        ->check(one_of({"size", "context", "batch"}))
        ->capture_default_str();
    command.add_option("--size", size_, "The preset to draw, where there are several");
    command.add_option("--batch", batch_size_, "The batch size to draw, where there are several");
    command.add_option("--context", context_, "The prompt length to draw, where there are several");
}

FigurePage DecodeRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const DecodeResult result = read_decode_result(load_json(file_), file_);
    Figure figure = build_decode_figure(
        result, {kPlots.at(plot_), kOvers.at(over_), size_, batch_size_, context_});
    report["groups"] = figure.x.names;
    report["columns"] = figure.bars.size();
    FigurePage page = chart_page(std::move(figure), request);
    page.description = "Drawn by headroom from " + file_;
    return page;
}

std::unique_ptr<FigureRecipe> make_decode_recipe() {
    return std::make_unique<DecodeRecipe>();
}

}  // namespace headroom
