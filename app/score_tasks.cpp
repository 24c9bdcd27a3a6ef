#include "app/score_tasks.h"

#include <utility>

#include "core/base/error.h"
#include "core/config/probe_schema.h"
#include "core/data/data_paths.h"
#include "datasets/evaluations/score_task.h"

namespace headroom {

TaskScorer task_scorer(std::shared_ptr<const Tokenizer> tokenizer, DType precision,
                       Device& device) {
    return [tokenizer = std::move(tokenizer), precision, &device](
               const WeightSource& weights, const std::string& tasks, int64_t limit,
               const std::function<void(double)>& tell) {
        if (tokenizer == nullptr)
            throw UserError("the data have no tokenizer, and tasks are texts",
                            "train on text, or leave the probe eval out");
        std::vector<TaskScore> scores;
        for (const AskedTask& task : read_asked_tasks(split_tasks(tasks), limit)) {
            const TaskResults results = score_task(
                weights, task, *tokenizer, precision, device, [&](size_t done, size_t all) {
                    tell(static_cast<double>(done) / static_cast<double>(all));
                });
            for (const TaskMeasure& each : measures_of(results))
                scores.push_back({task.kind->name, each.name, each.mean});
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
