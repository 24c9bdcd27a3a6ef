#include "app/eval_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/log/named_series.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

const TaskComparison* find_comparison(const std::vector<TaskComparison>& comparisons,
                                      const std::string& task) {
    const auto found = std::find_if(comparisons.begin(), comparisons.end(),
                                    [&](const TaskComparison& each) { return each.task == task; });
    return found == comparisons.end() ? nullptr : &*found;
}

SampleMean average_accuracy(const EvaluationScores& scores) {
    std::vector<SampleMean> accuracies;
    for (const TaskResults& task : scores.tasks) accuracies.push_back(accuracy_of(task));
    return mean_of_means(accuracies);
}

ordered_json item_json(const TaskResults& task, const ItemResult& result) {
    ordered_json item{{"log_likelihoods", result.log_probabilities},
                      {"tokens", result.tokens},
                      {"characters", result.characters}};
    if (task.one_choice) {
        item["greedy"] = result.greedy;
    } else {
        item["answer"] = result.answer;
        item["choice"] = result.choice;
        item["choice_norm"] = result.choice_norm;
    }
    return item;
}

ordered_json task_json(const EvaluationScores& scores, const TaskResults& task,
                       const TaskComparison* comparison) {
    ordered_json document{{"task", task.task},
                          {"file", task.file},
                          {"n", task.items.size()},
                          {"items", task.items.size()},  // its name before
                          {"tokenizer", scores.tokenizer}};
    for (const auto& [name, mean] : measures_of(task)) {
        document[name] = mean.mean;
        document[fmt::format("{}_stderr", name)] = mean.standard_error;
    }
    if (comparison)
        document["against"] = {{"acc", comparison->difference.mean},
                               {"acc_stderr", comparison->difference.standard_error},
                               {"only_here", comparison->only_first},
                               {"only_there", comparison->only_second},
                               {"mcnemar_p", comparison->p}};
    document["results"] = ordered_json::array();
    for (const ItemResult& result : task.items)
        document["results"].push_back(item_json(task, result));
    return document;
}

}  // namespace

std::string scores_text(const EvaluationScores& scores,
                        const std::vector<TaskComparison>& comparisons) {
    std::string text;
    for (const TaskResults& task : scores.tasks) {
        text += fmt::format("{}: {} items, tokenizer {}\n", task.task, task.items.size(),
                            scores.tokenizer);
        for (const auto& [name, mean] : measures_of(task))
            text += fmt::format("  {:<11}{:.4f}{}\n", name, mean.mean, error_text(mean));
        if (const TaskComparison* other = find_comparison(comparisons, task.task))
            text += fmt::format(
                "  against    {:+.4f}{} acc; right only here {}, only there {}; p {:.4g} "
                "(McNemar, exact)\n",
                other->difference.mean, error_text(other->difference), other->only_first,
                other->only_second, other->p);
    }
    if (scores.tasks.size() > 1) {
        const SampleMean average = average_accuracy(scores);
        text += fmt::format("average acc over {} tasks  {:.4f}{}\n", scores.tasks.size(),
                            average.mean, error_text(average));
    }
    return text;
}

ordered_json scores_json(const EvaluationScores& scores,
                         const std::vector<TaskComparison>& comparisons) {
    if (scores.tasks.size() == 1)
        return task_json(scores, scores.tasks.front(),
                         find_comparison(comparisons, scores.tasks.front().task));
    const SampleMean average = average_accuracy(scores);
    ordered_json document{{"tasks", ordered_json::array()},
                          {"average_acc", average.mean},
                          {"average_acc_stderr", average.standard_error}};
    for (const TaskResults& task : scores.tasks)
        document["tasks"].push_back(
            task_json(scores, task, find_comparison(comparisons, task.task)));
    return document;
}

ordered_json harness_json(const EvaluationScores& scores, int64_t limit) {
    ordered_json results, shots, better, samples;
    for (const TaskResults& task : scores.tasks) {
        ordered_json& numbers = results[task.task];
        numbers["alias"] = task.task;
        for (const auto& [name, mean] : measures_of(task)) {
            numbers[fmt::format("{},none", name)] = mean.mean;
            numbers[fmt::format("{}_stderr,none", name)] =
                std::isfinite(mean.standard_error) ? ordered_json(mean.standard_error)
                                                   : ordered_json("N/A");  // as the harness has it
            better[task.task][name] = more_is_better(name);
        }
        shots[task.task] = 0;
        samples[task.task] = {{"original", task.items.size()}, {"effective", task.items.size()}};
    }
    return {{"results", std::move(results)},
            {"versions", ordered_json::object()},
            {"n-shot", std::move(shots)},
            {"higher_is_better", std::move(better)},
            {"n-samples", std::move(samples)},
            {"config",
             {{"model", "headroom"},
              {"model_args", fmt::format("checkpoint={},tokenizer={},precision={}",
                                         scores.checkpoint, scores.tokenizer, scores.precision)},
              {"limit", limit > 0 ? ordered_json(limit) : ordered_json()}}}};
}

}  // namespace headroom
