#include "app/score_tasks.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/config/probe_schema.h"
#include "core/data/data_paths.h"
#include "datasets/evaluations/score_task.h"

namespace headroom {
namespace {

void add(std::vector<TaskScore>& scores, const std::string& task, const char* measure,
         const SampleMean& mean) {
    scores.push_back(
        {fmt::format("{}.{}", task, measure), mean.mean, mean.standard_error, mean.count});
}

}  // namespace

decltype(ProbeTask::score_tasks) task_scorer(std::shared_ptr<const Tokenizer> tokenizer,
                                             DType precision, Device& device) {
    return [tokenizer = std::move(tokenizer), precision, &device](
               const WeightSource& weights, const std::string& tasks, int64_t limit) {
        if (tokenizer == nullptr)
            throw UserError("the data have no tokenizer, and tasks are texts",
                            "train on text, or leave the probe eval out");
        std::vector<TaskScore> scores;
        for (const AskedTask& task : read_asked_tasks(split_tasks(tasks), limit)) {
            const TaskSummary summary =
                summarize(score_task(weights, task, *tokenizer, precision, device));
            const std::string& name = task.kind->name;
            add(scores, name, "acc", summary.acc);
            if (summary.acc_norm) add(scores, name, "acc_norm", *summary.acc_norm);
            if (summary.perplexity) add(scores, name, "perplexity", *summary.perplexity);
        }
        return scores;
    };
}

void check_task_files(const Job& job) {
    for (const ProbeConfig& probe : job.probes)
        for (const ProbeOption& option : find_probe_schema(probe.kind)->options)
            if (option.names_tasks)
                read_asked_tasks(split_tasks(values_of(probe).get<std::string>(option.name)), 1);
}

}  // namespace headroom
