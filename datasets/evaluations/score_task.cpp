#include "datasets/evaluations/score_task.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/eval/continuation_scores.h"

namespace headroom {
namespace {

AskedTask read_asked_task(const std::string& spec, int64_t limit) {
    const size_t colon = std::min(spec.find(':'), spec.size());
    AskedTask task{&find_evaluation_task(spec.substr(0, colon)), "", {}};
    if (colon < spec.size()) task.file = spec.substr(colon + 1);
    if (task.kind->needs_file() && task.file.empty())
        throw UserError(fmt::format("the task {} names no file", spec),
                        "write NAME:FILE, such as hellaswag:validation.jsonl");
    if (!task.kind->needs_file() && colon < spec.size())
        throw UserError(
            fmt::format("the task {} makes its items up and reads no file", task.kind->name),
            "write its name alone");
    task.items = read_evaluation(*task.kind, task.file, limit);
    return task;
}

}  // namespace

std::vector<AskedTask> read_asked_tasks(std::span<const std::string> specs, int64_t limit) {
    std::vector<AskedTask> tasks;
    std::set<std::string> names;
    for (const std::string& spec : specs) {
        tasks.push_back(read_asked_task(spec, limit));
        if (!names.insert(tasks.back().kind->name).second)
            throw UserError(fmt::format("the task {} stands twice", tasks.back().kind->name),
                            "give each task once");
    }
    return tasks;
}

TaskResults score_task(const WeightSource& weights, const AskedTask& task,
                       const Tokenizer& tokenizer, DType precision, Device& device,
                       const std::function<void(size_t done, size_t all)>& tell) {
    std::vector<ContinuationRequest> requests;
    for (const EvaluationItem& item : task.items)
        for (const EvaluationItem::Choice& choice : item.choices)
            requests.push_back(encode_pair(tokenizer, choice.context, choice.continuation));
    const auto scores = score_continuations(weights, precision, device, requests, [&](size_t done) {
        if (tell) tell(done, requests.size());
    });
    return task_results(*task.kind, task.file, task.items, requests, scores);
}

}  // namespace headroom
