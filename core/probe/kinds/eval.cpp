#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/data/data_paths.h"
#include "core/probe/probe_kind.h"

namespace headroom {
namespace {

using Scores = std::vector<TaskScore>;

/// The measure that every task has.
std::string accuracy_of(const std::string& task) {
    return task.substr(0, task.find(':')) + ".acc";
}

std::string table(const Scores& scores) {
    std::string text;
    for (const TaskScore& score : scores)
        text += fmt::format("{:<24} {:.4f} ± {:.4f}  of {} items\n", score.name, score.value,
                            score.standard_error, score.items);
    return text;
}

void write(const Scores& scores, ArrayFileWriter& file) {
    for (const TaskScore& score : scores) {
        const std::string path = "/eval/" + score.name;
        file.add(path, {1}, std::vector<double>{score.value});
        file.add(path + "_stderr", {1}, std::vector<double>{score.standard_error});
    }
}

ProbeFindings measure(const ProbeTask& task) {
    const auto& tasks = task.options.get<std::string>("tasks");
    if (split_tasks(tasks).empty())
        throw UserError("the probe eval has no tasks", "give NAME:FILE, with ; between several");
    CHECK(task.score_tasks != nullptr, "whoever probes can score tasks");
    const auto scores = std::make_shared<const Scores>(
        task.score_tasks(task.weights, tasks, task.options.get<int64_t>("limit")));
    return {[scores](ArrayFileWriter& file) { write(*scores, file); },
            [scores] { return table(*scores); },
            [scores](nlohmann::ordered_json& document) {
                for (const TaskScore& score : *scores) {
                    document[score.name] = score.value;
                    document[score.name + "_stderr"] = score.standard_error;
                }
            }};
}

std::vector<ScalarInfo> scalars(const ProbeConfig& config) {
    std::vector<ScalarInfo> all;
    for (const std::string& task : split_tasks(values_of(config).get<std::string>("tasks")))
        all.push_back({accuracy_of(task), "", "Zero-shot accuracy, a share of the items"});
    return all;
}

/// One pass over the longest text at a time.
int64_t bytes(const Job& job, const ProbeConfig&, int threads) {
    return ProbePass::memory(job.model, {1, job.model.block_size, job.precision}, {}, threads)
        .total;
}

}  // namespace

ProbeKind eval_probe() {
    return {{.kind = "eval",
             .help = "Zero-shot scores on tasks in JSONL, as headroom eval --task has them",
             .options = {{.name = "tasks",
                          .help = "NAME:FILE, with ; between several",
                          .standard = std::string(),
                          .names_tasks = true},
                         {.name = "limit",
                          .help = "Items of each task; 0: all",
                          .standard = int64_t{0}}},
             .needed = "tasks"},
            nullptr,
            measure,
            bytes,
            scalars};
}

}  // namespace headroom
