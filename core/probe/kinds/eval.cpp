#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/data/data_paths.h"
#include "core/probe/probe_kind.h"

namespace headroom::kinds::eval {
namespace {

using Scores = std::vector<TaskScore>;

/// What the mean accuracy over several tasks is called in the place of a task.
constexpr const char* kAverage = "average";

/// What the log, the file and the table call a measure: "piqa.acc".
std::string score_name(const std::string& task, const std::string& measure) {
    return task + "." + measure;
}
std::string score_name(const TaskScore& score) {
    return score_name(score.task, score.measure);
}

TaskScore average_accuracy(const Scores& scores) {
    std::vector<SampleMean> accuracies;
    for (const TaskScore& score : scores)
        if (score.measure == "acc") accuracies.push_back(score.mean);
    return {kAverage, "acc", mean_of_means(accuracies)};
}

Scores with_average(Scores scores, size_t tasks) {
    if (tasks > 1) scores.push_back(average_accuracy(scores));
    return scores;
}

std::string table(const Scores& scores) {
    std::string text;
    for (const TaskScore& score : scores)
        text += fmt::format("{:<24} {:.4f}{}  of {} items\n", score_name(score), score.mean.mean,
                            error_text(score.mean), score.mean.count);
    return text;
}

void write(const Scores& scores, ArrayFileWriter& file) {
    for (const TaskScore& score : scores) {
        const std::string path = "/eval/" + score_name(score);
        file.add(path, {1}, std::vector<double>{score.mean.mean});
        file.add(path + "_stderr", {1}, std::vector<double>{score.mean.standard_error});
    }
}

ProbeFindings measure(const ProbeTask& task) {
    const auto& tasks = task.options.get<std::string>("tasks");
    const size_t count = split_tasks(tasks).size();
    if (count == 0)
        throw UserError("the probe eval has no tasks", "give NAME:FILE, with ; between several");
    CHECK(task.score_tasks != nullptr, "whoever probes can score tasks");
    const auto tell = [&](double share) {
        task.check_going();
        if (task.progress) task.progress(share);
    };
    const auto scores = std::make_shared<const Scores>(with_average(
        task.score_tasks(task.weights, tasks, task.options.get<int64_t>("limit"), tell), count));
    return {[scores](ArrayFileWriter& file) { write(*scores, file); },
            [scores] { return table(*scores); },
            [scores](nlohmann::ordered_json& document) {
                for (const TaskScore& score : *scores) {
                    document[score_name(score)] = score.mean.mean;
                    document[score_name(score) + "_stderr"] = score.mean.standard_error;
                }
            }};
}

ProbeScalar accuracy(const std::string& task, const char* help) {
    const std::string name = score_name(task, "acc");
    return {{name, "", help},
            [name](const ArrayFile& file) { return file.read_number("/eval/" + name); }};
}

std::vector<ProbeScalar> scalars(const ProbeConfig& config) {
    std::vector<ProbeScalar> all;
    const std::vector<std::string> tasks = split_tasks(values_of(config).get<std::string>("tasks"));
    for (const std::string& task : tasks)
        all.push_back(
            accuracy(task.substr(0, task.find(':')), "Zero-shot accuracy, a share of the items"));
    if (tasks.size() > 1)
        all.push_back(accuracy(kAverage, "Mean zero-shot accuracy over the tasks"));
    return all;
}

/// One pass over the longest text at a time.
int64_t bytes(const Job& job, const ProbeConfig&, int threads) {
    return ProbePass::memory(job.model, {1, job.model.block_size, job.precision}, {}, threads)
        .total;
}

}  // namespace

ProbeKind kind() {
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

}  // namespace headroom::kinds::eval
