#include "panels/uptrain/initial_losses.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint.h"
#include "core/config/conversions.h"
#include "core/log/named_series.h"
#include "core/study/run_folder.h"
#include "panels/base/number_format.h"
#include "panels/figure/column_groups.h"

namespace headroom {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostMethods = 100;

[[noreturn]] void refuse_losses(const std::string& source, const std::string& what) {
    throw UserError(source + ": " + what,
                    "give what `headroom convert uptrain --compare DATA --json` printed");
}

/// As the paper writes it.
std::string title_of(const std::string& method) {
    for (const Conversion& conversion : conversions())
        if (method == conversion.name) return std::string(conversion.title);
    return method;
}

InitialLosses::Method read_method(const Json& row, const std::string& where) {
    if (!row.is_object() || !row.contains("method") || !row["method"].is_string() ||
        row["method"].get_ref<const std::string&>().size() > 100)
        refuse_losses(where, "it names no method");
    if (!row.contains("loss") || !row["loss"].is_number() ||
        !(row["loss"].get<double>() >= 0 && row["loss"].get<double>() < 1e6))
        refuse_losses(where, "its loss is no number from zero up");
    return {row["method"].get<std::string>(), row["loss"].get<double>()};
}

double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Before the first step.
double first_loss_of(const Run& run) {
    const ValSeries& val = run.series->val;
    if (val.step.empty() || val.step.front() != 0 || !std::isfinite(val.loss.front()))
        throw UserError(run.name + " has no validation loss before its first step",
                        "train it with validation data, or leave it out");
    return val.loss.front();
}

struct StepLoss {
    int64_t step = 0;
    double loss = 0;
};

/// Those that count and are finite, by step.
std::vector<StepLoss> validation_losses(const RunPointer& run) {
    const ValSeries& val = run->series->val;
    std::vector<StepLoss> losses;
    for (const uint32_t row :
         kept_rows(val.step.size(), [&](size_t r) { return val.step[r]; }).kept)
        if (std::isfinite(val.loss[row])) losses.push_back({val.step[row], val.loss[row]});
    if (losses.empty())
        throw UserError(run->name + " has no validation loss", "evaluate it while it trains");
    return losses;
}

std::filesystem::path plain(const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal();
}

/// The checkpoint of `source` that `run` began with; "" where it is none of its.
std::filesystem::path begun_at(const RunPointer& source, const Run& run) {
    if (!run.job || !run.job->train.starts_from_file()) return "";
    const std::filesystem::path file = plain(run.job->train.init_from);
    return file.parent_path() == plain(RunFolder{source->folder}.checkpoints()) ? file : "";
}

/// The validation loss of `source` where `run` took it up: at the checkpoint that its job names, or
/// at the end where it names none of this run's.
StepLoss loss_where_taken_up(const RunPointer& source, const Run& run) {
    const std::filesystem::path from = begun_at(source, run);
    const std::vector<StepLoss> losses = validation_losses(source);
    if (from.empty()) return losses.back();
    for (const StepLoss& each : losses)
        if (checkpoint_files(from.parent_path(), each.step).weights == from) return each;
    throw UserError(fmt::format("{} has no validation loss at {}, where {} begins", source->name,
                                from.filename().string(), run.name),
                    "leave it out, or begin at a checkpoint that was evaluated");
}

/// Of which run of the original's variant a run was converted: the one whose folder its job names,
/// else that of its seed, else the original itself.
RunPointer source_of(const Run& run, const RunPointer& original,
                     const std::vector<RunPointer>& sources) {
    RunPointer of_seed = original;
    for (const RunPointer& source : sources) {
        if (!begun_at(source, run).empty()) return source;
        if (source->seed == run.seed) of_seed = source;
    }
    return of_seed;
}

std::string seeds_of(const std::set<int64_t>& seeds) {
    return seeds.size() == 1 ? fmt::format("seed {}", *seeds.begin())
                             : fmt::format("{} seeds", seeds.size());
}

/// Of which seeds everything is, or "" where columns differ in them.
std::string common_seeds(const InitialLosses& losses) {
    for (const InitialLosses::Method& method : losses.methods)
        if (method.seeds != losses.source_seeds) return "";
    return losses.source_seeds.size() == 1 ? seeds_of(losses.source_seeds)
                                           : "means over " + seeds_of(losses.source_seeds);
}

}  // namespace

InitialLosses read_initial_losses(const Json& document, const std::string& source) {
    if (!document.is_object() || !document.contains("compare") || !document["compare"].is_object())
        refuse_losses(source, "it compares nothing");
    const Json& compare = document["compare"];
    const auto rows = compare.find("losses");
    if (rows == compare.end() || !rows->is_array() || rows->size() < 2 ||
        rows->size() > kMostMethods)
        refuse_losses(source, "it has no list of losses");
    if (!compare.contains("tokens") || !compare["tokens"].is_number_integer())
        refuse_losses(source, "it does not say over how many tokens");
    InitialLosses losses;
    losses.tokens = compare["tokens"].get<int64_t>();
    for (size_t i = 0; i < rows->size(); ++i) {
        auto method = read_method((*rows)[i], fmt::format("{}: losses[{}]", source, i));
        if (i == 0)
            losses.source = method.loss;
        else
            losses.methods.push_back(std::move(method));
    }
    return losses;
}

InitialLosses initial_losses_of_runs(const std::vector<RunPointer>& runs,
                                     const RunPointer& original) {
    struct Variant {
        RunPointer first;
        std::vector<double> losses;
        std::set<int64_t> seeds;
    };
    InitialLosses losses;
    std::vector<RunPointer> sources;
    for (const RunPointer& run : runs)
        if (run->group == original->group) sources.push_back(run);
    std::vector<Variant> variants;
    std::map<RunPointer, double> before;
    for (const RunPointer& run : runs) {
        if (run->group == original->group) continue;
        const RunPointer source = source_of(*run, original, sources);
        const StepLoss taken_up = loss_where_taken_up(source, *run);
        before[source] = taken_up.loss;
        losses.source_steps.insert(taken_up.step);
        auto variant = std::find_if(variants.begin(), variants.end(), [&](const Variant& each) {
            return each.first->group == run->group;
        });
        if (variant == variants.end()) variant = variants.insert(variants.end(), {run, {}, {}});
        variant->losses.push_back(first_loss_of(*run));
        variant->seeds.insert(run->seed);
    }
    if (variants.empty())
        throw UserError("there is nothing to compare with " + original->name,
                        "name the runs that were trained on from it");
    std::vector<double> sources_before;
    for (const auto& [source, loss] : before) {
        sources_before.push_back(loss);
        losses.source_seeds.insert(source->seed);
    }
    losses.source = losses.source_steps.size() == 1 ? mean_of(sources_before) : std::nan("");
    for (const auto& [run, its, seeds] : variants)
        losses.methods.push_back({run->group, mean_of(its), seeds});
    return losses;
}

Figure build_initial_losses(const InitialLosses& losses) {
    ColumnGroups columns;
    columns.members = {"initial loss"};
    columns.heights.resize(1);
    const bool of_runs = !losses.source_seeds.empty();
    const std::string common = of_runs ? common_seeds(losses) : "";
    const auto own = [&](const std::set<int64_t>& seeds) {
        return of_runs && common.empty() ? fmt::format(" ({})", seeds_of(seeds)) : std::string();
    };
    for (const InitialLosses::Method& method : losses.methods) {
        columns.groups.push_back(title_of(method.name) + own(method.seeds));
        columns.heights[0].push_back(method.loss);
    }
    columns.groups_column = "method";
    columns.y = {"initial loss (nats per token)", "loss", {}, {}, {}};
    columns.decimals = 3;
    Figure figure = draw_column_groups(columns);
    if (std::isfinite(losses.source))
        figure.rules.push_back(
            {true, losses.source, "before the conversion" + own(losses.source_seeds)});
    figure.legend = LegendPlace::kBelow;
    std::vector<std::string> notes;
    if (!common.empty()) notes.push_back(common);
    if (!std::isfinite(losses.source))
        notes.push_back(fmt::format("without a rule: they began at steps {} of the original",
                                    fmt::join(losses.source_steps, ", ")));
    figure.footnote = fmt::format("{}", fmt::join(notes, " · "));
    if (losses.tokens > 0)
        figure.footnote = fmt::format("over {} tokens", format_integer(losses.tokens));
    return figure;
}

}  // namespace headroom
