#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/dtype_option.h"
#include "app/figure/figure_recipe.h"
#include "app/figure/model_arguments.h"
#include "app/word_check.h"
#include "core/account/kv_cache.h"
#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/config/presets.h"
#include "panels/figure/figure_export.h"
#include "panels/memory/memory_figure.h"
#include "panels/memory/treemap_painter.h"

namespace headroom {
namespace {

/// `headroom figure memory MODEL…`: where memory goes, predicted from configurations.
class MemoryRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "memory"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<MemoryModel> models() const;
    MemoryFigureSettings settings() const;
    FigurePage build_map(const FigureRequest& request, const MemoryFigureSettings& chosen,
                         const std::vector<MemoryModel>& drawn, nlohmann::json& report) const;

    std::vector<std::string> words_, sets_, archs_;
    std::string plot_ = "cache", use_ = "inference", dtype_, scale_;
    std::optional<int64_t> batch_size_, context_;
};

/// What kind of model each word names.
struct Words {
    std::vector<std::string> presets, jobs, runs;
};

Words sorted(const std::vector<std::string>& words) {
    Words result;
    std::error_code ignored;
    for (const std::string& word : words) {
        if (find_preset(word) != nullptr)
            result.presets.push_back(word);
        else if (std::filesystem::is_directory(word, ignored))
            result.runs.push_back(word);
        else if (std::filesystem::exists(word, ignored))
            result.jobs.push_back(word);
        else {
            std::vector<std::string> known;
            for (const Preset& preset : presets()) known.push_back(preset.name);
            throw UserError(word + " is no preset, job file, run or study folder" +
                            suggestion(word, known));
        }
    }
    return result;
}

/// Plots of everything that memory holds.
bool is_ledger(MemoryPlot plot) {
    return plot == MemoryPlot::kBreakdown || plot == MemoryPlot::kTreemap;
}

DType dtype_of(const std::string& text, MemoryPlot plot) {
    if (is_ledger(plot)) return computed_type_option("--dtype", text);
    return dtype_option("--dtype", text, kHeldTypes, "hold keys and values");
}

}  // namespace

std::string MemoryRecipe::help() const {
    return "Where memory goes in inference, predicted from the configuration of models: the cache "
           "against the sequence length or, per token, against the size of the model, and the "
           "ledger as columns or a treemap; 5.5 inches wide unless told otherwise";
}

void MemoryRecipe::add_options(CLI::App& command) {
    command
        .add_option("MODEL", words_,
                    "Presets, job files, run folders, or study folders for all their runs")
        ->required();
    command
        .add_option("--arch", archs_,
                    "Each preset and job file as each of these variants, separated by commas")
        ->delimiter(',');
    command.add_option("--set", sets_, "KEY=VALUE: change a key of the presets and job files")
        ->take_all()
        ->allow_extra_args(false);
    command
        .add_option("--plot", plot_,
                    "cache: bytes against the sequence length; bytes-per-token: against "
                    "parameters; breakdown: weights, cache and activations in columns; treemap: "
                    "the whole ledger by layer, equal areas for equal bytes")
        ->check(one_of({"cache", "bytes-per-token", "breakdown", "treemap"}))
        ->capture_default_str();
    command.add_option("--dtype", dtype_,
                       "bf16, f16, f32 or f64: of the cache; in the breakdown and the treemap of "
                       "everything (default: bf16, in training f32)");
    command
        .add_option("--for", use_,
                    "What the breakdown and the treemap account for: inference or "
                    "training")
        ->check(one_of({"inference", "training"}))
        ->capture_default_str();
    command.add_option("--batch", batch_size_, "Sequences (default: 1, in training the job's)")
        ->check(CLI::Range(int64_t{1}, kMostMemoryBatch));
    command
        .add_option("--context", context_,
                    "Tokens of each sequence, or the longest on the axis (default: block_size, in "
                    "training the job's seq_len)")
        ->check(CLI::Range(int64_t{1}, kMostMemoryContext));
    command
        .add_option("--scale", scale_,
                    "Axes: linear or log (default: log for bytes-per-token, else linear)")
        ->check(one_of({"linear", "log"}));
}

std::vector<MemoryModel> MemoryRecipe::models() const {
    const Words words = sorted(words_);
    if (archs_.empty()) {
        std::vector<MemoryModel> models;
        for (NamedModel& model : read_models(words.presets, words.jobs, words.runs, sets_))
            models.push_back(
                {std::move(model.name), std::move(model.model), model.job, nullptr, model.color});
        return models;
    }
    if (!words.runs.empty())
        throw UserError("--arch changes presets and job files, not " + words.runs[0],
                        "give the run's job.json instead");
    std::vector<MemoryModel> models;
    for (const std::string& arch : archs_) {
        std::vector<std::string> sets = sets_;
        sets.push_back("model.arch=" + arch);
        for (NamedModel& model : read_models(words.presets, words.jobs, {}, sets))
            models.push_back(
                {model.name + " " + arch, std::move(model.model), model.job, nullptr, {}});
    }
    return models;
}

MemoryFigureSettings MemoryRecipe::settings() const {
    MemoryFigureSettings result;
    for (const MemoryPlot plot : {MemoryPlot::kCache, MemoryPlot::kBytesPerToken,
                                  MemoryPlot::kBreakdown, MemoryPlot::kTreemap})
        if (name_of(plot) == plot_) result.plot = plot;
    if (use_ == "training") result.use = MemoryUse::kTraining;
    if (result.use == MemoryUse::kTraining && !is_ledger(result.plot))
        throw UserError("--for training has no cache to draw",
                        "add --plot breakdown or --plot treemap");
    const char* usual = result.use == MemoryUse::kTraining ? "f32" : "bf16";
    result.dtype = dtype_of(dtype_.empty() ? usual : dtype_, result.plot);
    result.batch_size = batch_size_.value_or(0);
    result.context = context_.value_or(0);
    result.log_axes = scale_.empty() ? result.plot == MemoryPlot::kBytesPerToken : scale_ == "log";
    if (result.log_axes && is_ledger(result.plot))
        throw UserError("--scale log has no place for stacked columns and areas", "leave it out");
    if (context_ && result.plot == MemoryPlot::kBytesPerToken)
        throw UserError("--context has no place where bytes are per token", "leave it out");
    if (result.log_axes && context_ && *context_ <= 16)
        throw UserError(
            fmt::format("--context {} is too short for a log axis from 16 tokens on", *context_),
            "give more tokens");
    return result;
}

FigurePage MemoryRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    const MemoryFigureSettings chosen = settings();
    const std::vector<MemoryModel> drawn = models();
    if (chosen.plot == MemoryPlot::kTreemap) return build_map(request, chosen, drawn, report);
    MemoryView view = build_memory(drawn, chosen);
    if (view.figure.is_empty())
        throw UserError("there is nothing to draw: " + view.figure.empty_text,
                        "name a model that decodes");
    report["models"] = nlohmann::json::array();
    for (const MemoryModel& model : drawn)
        report["models"].push_back(
            {{"name", model.name},
             {"variant", variant_name(model.model)},
             {"cache_bytes_per_token", count_cache(model.model).bytes_per_token(chosen.dtype)}});
    report["notes"] = view.notes;
    FigurePage page = chart_page(std::move(view.figure), request);
    page.description = "Drawn by headroom from configurations";
    return page;
}

FigurePage MemoryRecipe::build_map(const FigureRequest& request, const MemoryFigureSettings& chosen,
                                   const std::vector<MemoryModel>& drawn,
                                   nlohmann::json& report) const {
    TreemapView view = build_treemap(drawn, chosen);
    report["models"] = nlohmann::json::array();
    for (const TreemapModel& model : view.models)
        report["models"].push_back({{"name", model.name}, {"bytes", model.root.bytes}});
    report["notes"] = view.notes;
    TreemapPageOptions options;
    options.width_in = request.width_in.value_or(options.width_in);
    options.height_in = request.height_in.value_or(std::max(2.4, options.width_in * 0.62));
    options.title = request.title;
    options.dark = request.dark;
    options.notes = request.notes;
    return treemap_page(std::move(view), options);
}

std::unique_ptr<FigureRecipe> make_memory_recipe() {
    return std::make_unique<MemoryRecipe>();
}

}  // namespace headroom
