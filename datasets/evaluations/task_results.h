#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/eval/continuation_scores.h"
#include "core/stats/sample_mean.h"
#include "datasets/evaluations/evaluation_task.h"

namespace headroom {

/// What a model made of one item.
struct ItemResult {
    std::vector<double> log_probabilities;    ///< nats, of each choice's continuation
    std::vector<int32_t> characters, tokens;  ///< of each choice
    int32_t answer = 0;
    int32_t choice = 0;       ///< the likeliest; the first of equal ones
    int32_t choice_norm = 0;  ///< the likeliest a character
    bool greedy = false;      ///< whether the model would say the first choice by itself
    uint64_t hash = 0;        ///< of the item's texts and answer: equal items have equal ones

    bool operator==(const ItemResult&) const = default;
};

/// A task's items by one model.
struct TaskResults {
    std::string task, file;
    bool one_choice = false;  ///< LAMBADA
    std::vector<ItemResult> items;

    bool is_right(const ItemResult& item) const {
        return one_choice ? item.greedy : item.choice == item.answer;
    }
    bool operator==(const TaskResults&) const = default;
};

/// `requests` and `scores` are those of the items' choices, one after another.
TaskResults task_results(const EvaluationTask& task, const std::string& file,
                         const std::vector<EvaluationItem>& items,
                         const std::vector<ContinuationRequest>& requests,
                         const std::vector<ContinuationScore>& scores);

/// One of a task's numbers, named as lm-evaluation-harness does: a mean over its items.
struct TaskMeasure {
    std::string name;
    SampleMean mean;
};
/// "acc" first, which every task has. Of choices "acc_norm", too; of LAMBADA "perplexity", whose
/// standard error is to first order.
std::vector<TaskMeasure> measures_of(const TaskResults& results);
SampleMean accuracy_of(const TaskResults& results);

/// The same items by two models.
struct TaskComparison {
    std::string task;
    SampleMean difference;  ///< of accuracy, first - second, with the error of the paired items
    int64_t only_first = 0, only_second = 0;  ///< items that one of them alone has right
    double p = 1;                             ///< McNemar's exact test
};
/// UserError where the items are not the same, in the same order.
TaskComparison compare_results(const TaskResults& first, const TaskResults& second);

}  // namespace headroom
