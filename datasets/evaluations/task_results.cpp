#include "datasets/evaluations/task_results.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/stats/mcnemar.h"

namespace headroom {
namespace {

template <class Values>
int32_t place_of_largest(const Values& values) {
    return static_cast<int32_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

/// Each text with its length first, so that none runs into the next.
uint64_t hash_of(const EvaluationItem& item) {
    std::string text = fmt::format("{}", item.answer);
    for (const EvaluationItem::Choice& choice : item.choices)
        for (const std::string& part : {choice.context, choice.continuation})
            text += fmt::format(" {}:{}", part.size(), part);
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return hash_bytes({bytes, text.size()});
}

SampleMean share(const TaskResults& results,
                 bool (*counts)(const TaskResults&, const ItemResult&)) {
    std::vector<double> values;
    for (const ItemResult& item : results.items) values.push_back(counts(results, item) ? 1 : 0);
    return sample_mean(values);
}

SampleMean perplexity_of(const TaskResults& results) {
    std::vector<double> logs;
    for (const ItemResult& item : results.items) logs.push_back(item.log_probabilities.front());
    SampleMean mean = sample_mean(logs);
    mean.mean = std::exp(-mean.mean);
    mean.standard_error *= mean.mean;
    return mean;
}

bool same_items(const TaskResults& first, const TaskResults& second) {
    return std::equal(first.items.begin(), first.items.end(), second.items.begin(),
                      second.items.end(),
                      [](const ItemResult& a, const ItemResult& b) { return a.hash == b.hash; });
}

}  // namespace

TaskResults task_results(const EvaluationTask& task, const std::string& file,
                         const std::vector<EvaluationItem>& items,
                         const std::vector<ContinuationRequest>& requests,
                         const std::vector<ContinuationScore>& scores) {
    TaskResults results{task.name, file, task.one_choice, {}};
    size_t at = 0;
    for (const EvaluationItem& item : items) {
        ItemResult result;
        std::vector<double> normalised;
        for (const EvaluationItem::Choice& choice : item.choices) {
            result.log_probabilities.push_back(scores[at].log_probability);
            result.characters.push_back(static_cast<int32_t>(choice.characters));
            result.tokens.push_back(static_cast<int32_t>(requests[at].continuation.size()));
            // An empty choice would divide by zero, as it does in lm-evaluation-harness.
            normalised.push_back(scores[at].log_probability /
                                 static_cast<double>(choice.characters));
            if (result.tokens.size() == 1) result.greedy = scores[at].greedy;
            ++at;
        }
        result.answer = static_cast<int32_t>(item.answer);
        result.choice = place_of_largest(result.log_probabilities);
        result.choice_norm = place_of_largest(normalised);
        result.hash = hash_of(item);
        results.items.push_back(std::move(result));
    }
    return results;
}

SampleMean accuracy_of(const TaskResults& results) {
    return share(results, [](const TaskResults& task, const ItemResult& item) {
        return task.is_right(item);
    });
}

std::vector<TaskMeasure> measures_of(const TaskResults& results) {
    std::vector<TaskMeasure> measures{{"acc", accuracy_of(results)}};
    if (results.one_choice)
        measures.push_back({"perplexity", perplexity_of(results)});
    else
        measures.push_back(
            {"acc_norm", share(results, [](const TaskResults&, const ItemResult& item) {
                 return item.choice_norm == item.answer;
             })});
    return measures;
}

TaskComparison compare_results(const TaskResults& first, const TaskResults& second) {
    if (!same_items(first, second))
        throw UserError(fmt::format("{}: the two models were asked different items ({} and {})",
                                    first.task, first.items.size(), second.items.size()),
                        "score both on one file with the same --limit");
    TaskComparison comparison;
    comparison.task = first.task;
    std::vector<double> differences;
    for (size_t i = 0; i < first.items.size(); ++i) {
        const bool a = first.is_right(first.items[i]), b = second.is_right(second.items[i]);
        comparison.only_first += a && !b;
        comparison.only_second += b && !a;
        differences.push_back(static_cast<double>(a) - static_cast<double>(b));
    }
    comparison.difference = sample_mean(differences);
    comparison.p = mcnemar_p(comparison.only_first, comparison.only_second);
    return comparison;
}

}  // namespace headroom
