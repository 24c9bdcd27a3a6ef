#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "app/figure/probe_arguments.h"
#include "app/number_checks.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/base/json_numbers.h"
#include "core/config/job_json.h"
#include "core/probe/linear_probe_file.h"
#include "core/probe/probe_file.h"
#include "core/stats/spread.h"
#include "panels/probe/linear_probe_figure.h"
#include "panels/study/run_arguments.h"
#include "panels/study/run_source.h"

namespace headroom {
namespace {

/// `headroom figure probe FILE…|RUN…`: the loss of linear probes against the layer.
class ProbeRecipe : public FigureRecipe {
  public:
    std::string name() const override { return "probe"; }
    std::string help() const override;
    void add_options(CLI::App& command) override;
    FigurePage build(const FigureRequest& request, nlohmann::json& report) override;

  private:
    std::vector<ProbedRun> probes(LeftOutProbes& left_out) const;
    LinearProbeSettings settings() const;

    std::vector<std::string> words_;
    int64_t step_ = -1;
    std::vector<int> fit_;
    bool deep_only_ = false;
    std::string series_ = "val";
    std::string band_ = "min-max";
};

namespace fs = std::filesystem;

/// Reads the file into what the figure needs; names and colours are the caller's.
ProbedRun read_probe(const fs::path& path) {
    const ArrayFile file(path);
    const ProbeHeader header = read_probe_header(file);
    if (header.kind != "linear")
        throw UserError(fmt::format("{} holds the probe \"{}\"", path.string(), header.kind),
                        "give a file that headroom probe linear wrote");
    ProbedRun run;
    run.step = header.step;
    run.probe = read_linear_probe(file);
    run.file = path;
    run.group = header.run.empty() ? path.stem().string() : header.run;
    run.id = path.string();
    run.source = {run.group, path.string(), to_json(header.model).dump(), "", "", ""};
    return run;
}

ProbedRun read_run(const RunPointer& run, const fs::path& file) {
    ProbedRun probed = read_probe(file);
    probed.id = run->id;
    probed.group = run->group;
    probed.color = run->color;
    probed.source = figure_source(*run);
    probed.repeats = repeat_note(*run);
    return probed;
}

/// Files of one run at several steps are lines of their own.
void tell_steps_apart(std::vector<ProbedRun>& files) {
    std::map<std::string, int> count;
    for (const ProbedRun& file : files) ++count[file.group];
    for (ProbedRun& file : files)
        if (count[file.group] > 1)
            file.group += file.step >= 0 ? fmt::format(", step {}", file.step)
                                         : fmt::format(" ({})", file.id);
}

}  // namespace

std::string ProbeRecipe::help() const {
    return "Loss of linear probes against the layer, with a line through the deep layers; 5.5 "
           "inches wide unless told otherwise";
}

void ProbeRecipe::add_options(CLI::App& command) {
    command
        .add_option("RUN", words_,
                    "Run folders, study folders for all their runs, or files of headroom probe "
                    "linear")
        ->required();
    command.add_option("--step", step_, "Which probes of runs (the newest)")
        ->check(not_below_zero, "FROM 0");
    command.add_option("--fit", fit_, "First and last layer of the line (default: as probed)")
        ->delimiter(',')
        ->expected(2)
        ->check(not_below_zero, "FROM 0");
    command.add_flag("--deep-only", deep_only_, "Draw the layers of the line alone");
    command
        .add_option(
            "--series", series_,
            "What to draw: val, train, control (loss of the control task), selectivity, or of "
            "images accuracy")
        ->check(one_of({"val", "train", "control", "selectivity", "accuracy"}))
        ->capture_default_str();
    command.add_option("--band", band_, "Over seeds: min-max, sd, se or t95")
        ->check(one_of(seed_band_names()))
        ->capture_default_str();
}

LinearProbeSettings ProbeRecipe::settings() const {
    LinearProbeSettings result;
    result.number = series_ == "train"      ? ProbeNumber::kTrainLoss
                    : series_ == "control"  ? ProbeNumber::kControlLoss
                    : series_ == "val"      ? ProbeNumber::kValLoss
                    : series_ == "accuracy" ? ProbeNumber::kAccuracy
                                            : ProbeNumber::kSelectivity;
    result.band = parse_seed_band(band_);
    result.deep_only = deep_only_;
    if (fit_.empty()) return result;
    result.fit_first = fit_[0];
    result.fit_last = fit_[1];
    if (result.fit_first >= result.fit_last)
        throw UserError(fmt::format("--fit {},{} spans no layers", fit_[0], fit_[1]),
                        "give the first and the last layer, such as 7,11");
    return result;
}

std::vector<ProbedRun> ProbeRecipe::probes(LeftOutProbes& left_out) const {
    std::vector<std::string> folders;
    std::vector<ProbedRun> files, runs;
    std::error_code ignored;
    for (const std::string& word : words_)
        if (fs::is_regular_file(word, ignored))
            files.push_back(read_probe(word));
        else
            folders.push_back(word);
    int colors = 0;
    if (!folders.empty())
        for (const ProbedFile& each : probes_of_runs(read_runs(folders, &left_out.unreadable),
                                                     folders, "linear", step_, left_out)) {
            runs.push_back(read_run(each.run, each.file));
            colors = std::max(colors, each.run->color + 1);
        }
    tell_steps_apart(files);
    for (ProbedRun& file : files) {
        file.color = colors++;
        runs.push_back(std::move(file));
    }
    return runs;
}

FigurePage ProbeRecipe::build(const FigureRequest& request, nlohmann::json& report) {
    LeftOutProbes left_out;
    LinearProbeView view = build_linear_probe(probes(left_out), settings());
    if (view.figure.is_empty())
        throw UserError("there is nothing to draw: " + view.figure.empty_text,
                        "see headroom figure probe --help");
    report["lines"] = nlohmann::json::array();
    for (const ProbeLine& line : view.lines)
        report["lines"].push_back({{"name", line.name},
                                   {"seeds", line.seeds},
                                   {"slope", number_or_null(line.slope)},
                                   {"layers", line.layers},
                                   {"values", line.mean}});
    report["notes"] = view.notes;
    left_out.say(view.figure.footnote, report);
    return chart_page(std::move(view.figure), request);
}

std::unique_ptr<FigureRecipe> make_probe_recipe() {
    return std::make_unique<ProbeRecipe>();
}

}  // namespace headroom
