#include "app/eval_task.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/job_loading.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/eval/continuation_scores.h"
#include "core/eval/sample_mean.h"
#include "datasets/evaluations/evaluation_task.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

/// What the model made of one item.
struct ItemResult {
    std::vector<double> log_probabilities;
    std::vector<int64_t> characters, tokens;
    int64_t answer = 0, choice = 0, choice_norm = 0;
    bool greedy = false;  ///< of the only choice
};

template <class Values>
int64_t place_of_largest(const Values& values) {
    return std::max_element(values.begin(), values.end()) - values.begin();
}

std::vector<ItemResult> results_of(const std::vector<EvaluationItem>& items,
                                   const std::vector<ContinuationRequest>& requests,
                                   const std::vector<ContinuationScore>& scores) {
    std::vector<ItemResult> results;
    size_t at = 0;
    for (const EvaluationItem& item : items) {
        ItemResult result;
        std::vector<double> normalised;
        for (const EvaluationItem::Choice& choice : item.choices) {
            result.log_probabilities.push_back(scores[at].log_probability);
            result.characters.push_back(choice.characters);
            result.tokens.push_back(static_cast<int64_t>(requests[at].continuation.size()));
            // An empty choice would divide by zero, as it does in lm-evaluation-harness.
            normalised.push_back(scores[at].log_probability /
                                 static_cast<double>(choice.characters));
            result.greedy = scores[at].greedy;
            ++at;
        }
        result.answer = item.answer;
        result.choice = place_of_largest(result.log_probabilities);
        result.choice_norm = place_of_largest(normalised);
        results.push_back(std::move(result));
    }
    return results;
}

void add_mean(ordered_json& document, const char* name, const std::vector<double>& values) {
    const SampleMean mean = sample_mean(values);
    document[name] = mean.mean;
    document[fmt::format("{}_stderr", name)] = mean.standard_error;
}

ordered_json summary_of(const EvaluationTask& task, const std::vector<ItemResult>& results) {
    std::vector<double> right, right_norm, logs;
    for (const ItemResult& result : results) {
        right.push_back(task.one_choice ? result.greedy : result.choice == result.answer);
        right_norm.push_back(result.choice_norm == result.answer);
        logs.push_back(result.log_probabilities.front());
    }
    ordered_json document;
    add_mean(document, "acc", right);
    if (!task.one_choice) {
        add_mean(document, "acc_norm", right_norm);
        return document;
    }
    const SampleMean mean = sample_mean(logs);
    document["perplexity"] = std::exp(-mean.mean);
    document["perplexity_stderr"] = std::exp(-mean.mean) * mean.standard_error;  // to first order
    return document;
}

ordered_json item_json(const EvaluationTask& task, const ItemResult& result) {
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

void print_text(const std::string& name, const std::string& tokenizer, size_t items,
                const ordered_json& summary) {
    fmt::print("{}: {} items, tokenizer {}\n", name, items, tokenizer);
    for (const char* measure : {"acc", "acc_norm", "perplexity"})
        if (summary.contains(measure))
            fmt::print("  {:<11}{:.4f} ± {:.4f}\n", measure, summary[measure].get<double>(),
                       summary[fmt::format("{}_stderr", measure)].get<double>());
}

/// NAME:FILE
std::pair<std::string, std::string> name_and_file(const std::string& spec) {
    const size_t colon = spec.find(':');
    if (colon == std::string::npos || colon + 1 == spec.size())
        throw UserError(fmt::format("--task {} names no file", spec),
                        "write NAME:FILE, such as hellaswag:validation.jsonl");
    return {spec.substr(0, colon), spec.substr(colon + 1)};
}

}  // namespace

void evaluate_task(const WeightSource& weights, const EvalOptions& options,
                   const EvalTaskOptions& task, bool json) {
    const auto [name, file] = name_and_file(task.task);
    const EvaluationTask& kind = find_evaluation_task(name);
    const std::vector<EvaluationItem> items = read_evaluation(kind, file, task.limit);
    const std::shared_ptr<const Tokenizer> tokenizer =
        checkpoint_tokenizer(weights, options.tokenizer);
    if (tokenizer == nullptr)
        throw UserError(weights.title() + " does not say which tokenizer it was trained with",
                        "give --tokenizer byte, gpt2:FOLDER, json:FILE or sp:FILE");
    std::vector<ContinuationRequest> requests;
    for (const EvaluationItem& item : items)
        for (const EvaluationItem::Choice& choice : item.choices)
            requests.push_back(encode_pair(*tokenizer, choice.context, choice.continuation));
    const std::unique_ptr<Device> device = open_device(options.device);
    const auto scores = score_continuations(
        weights, parse_dtype(options.precision), *device, requests, [&](size_t done) {
            if (done % 100 == 0) fmt::print(stderr, "{} of {} scored\n", done, requests.size());
        });
    const std::vector<ItemResult> results = results_of(items, requests, scores);
    const ordered_json summary = summary_of(kind, results);
    if (!json) return print_text(name, tokenizer->name(), items.size(), summary);
    ordered_json document{
        {"task", name}, {"file", file}, {"items", items.size()}, {"tokenizer", tokenizer->name()}};
    document.update(summary);
    for (const ItemResult& result : results) document["results"].push_back(item_json(kind, result));
    fmt::print("{}\n", dump_text(document, 2));
}

}  // namespace headroom
