#include "app/eval_task.h"

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/eval_report.h"
#include "app/job_loading.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/eval/continuation_scores.h"
#include "datasets/evaluations/evaluation_task.h"
#include "datasets/evaluations/scores_file.h"

namespace headroom {
namespace {

/// A task that was asked for, with what its file asks.
struct AskedTask {
    const EvaluationTask* kind = nullptr;
    std::string file;
    std::vector<EvaluationItem> items;
};

/// NAME:FILE
AskedTask read_asked(const std::string& spec, int64_t limit) {
    const size_t colon = spec.find(':');
    if (colon == std::string::npos || colon + 1 == spec.size())
        throw UserError(fmt::format("--task {} names no file", spec),
                        "write NAME:FILE, such as hellaswag:validation.jsonl");
    AskedTask task{&find_evaluation_task(spec.substr(0, colon)), spec.substr(colon + 1), {}};
    task.items = read_evaluation(*task.kind, task.file, limit);
    return task;
}

std::vector<AskedTask> read_all_asked(const EvalTaskOptions& asked) {
    std::vector<AskedTask> tasks;
    std::set<std::string> names;
    for (const std::string& spec : asked.tasks) {
        tasks.push_back(read_asked(spec, asked.limit));
        if (!names.insert(tasks.back().kind->name).second)
            throw UserError(fmt::format("--task {} stands twice", tasks.back().kind->name),
                            "give each task once");
    }
    return tasks;
}

TaskResults score(const WeightSource& weights, const AskedTask& task, const Tokenizer& tokenizer,
                  DType precision, Device& device) {
    std::vector<ContinuationRequest> requests;
    for (const EvaluationItem& item : task.items)
        for (const EvaluationItem::Choice& choice : item.choices)
            requests.push_back(encode_pair(tokenizer, choice.context, choice.continuation));
    const auto scores = score_continuations(weights, precision, device, requests, [&](size_t done) {
        if (done % 100 == 0)
            fmt::print(stderr, "{}: {} of {} scored\n", task.kind->name, done, requests.size());
    });
    return task_results(*task.kind, task.file, task.items, requests, scores);
}

std::vector<TaskComparison> compare_all(const EvaluationScores& ours,
                                        const EvaluationScores& others) {
    std::vector<TaskComparison> comparisons;
    for (const TaskResults& task : ours.tasks)
        if (const TaskResults* other = others.find(task.task))
            comparisons.push_back(compare_results(task, *other));
    if (comparisons.empty())
        throw UserError("--against has none of these tasks", "score both on the same tasks");
    return comparisons;
}

}  // namespace

void evaluate_tasks(const WeightSource& weights, const EvalOptions& options,
                    const EvalTaskOptions& asked) {
    const std::vector<AskedTask> tasks = read_all_asked(asked);
    std::optional<EvaluationScores> others;
    if (!asked.against.empty()) others = read_scores(asked.against);
    const std::shared_ptr<const Tokenizer> tokenizer =
        checkpoint_tokenizer(weights, options.tokenizer);
    if (tokenizer == nullptr)
        throw UserError(weights.title() + " does not say which tokenizer it was trained with",
                        "give --tokenizer byte, gpt2:FOLDER, json:FILE or sp:FILE");
    const std::unique_ptr<Device> device = open_device(options.device);
    EvaluationScores scores{weights.title(),
                            weights.metadata().step.value_or(-1),
                            tokenizer->name(),
                            options.precision,
                            {}};
    for (const AskedTask& task : tasks)
        scores.tasks.push_back(
            score(weights, task, *tokenizer, parse_dtype(options.precision), *device));
    if (!asked.out.empty()) write_scores(scores, asked.out);
    if (!asked.harness.empty())
        write_file_atomically(asked.harness,
                              dump_text(harness_json(scores, asked.limit), 2) + "\n");
    std::vector<TaskComparison> comparisons;
    if (others) comparisons = compare_all(scores, *others);
    if (asked.json)
        fmt::print("{}\n", dump_text(scores_json(scores, comparisons), 2));
    else
        fmt::print("{}", scores_text(scores, comparisons));
}

}  // namespace headroom
