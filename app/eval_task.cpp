#include "app/eval_task.h"

#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/dtype_option.h"
#include "app/eprint.h"
#include "app/eval_report.h"
#include "app/job_loading.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/data/tokenizer_spec.h"
#include "core/study/run_folder.h"
#include "datasets/evaluations/score_task.h"
#include "datasets/evaluations/scores_file.h"

namespace headroom {
namespace {

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
    const std::vector<AskedTask> tasks = read_asked_tasks(asked.tasks, asked.limit);
    for (const std::string& out : {asked.out, asked.harness}) {
        check_not_source(out, asked.against);
        check_not_checkpoint(out, weights.title());
        check_not_of_study(out);
    }
    std::optional<EvaluationScores> others;
    if (!asked.against.empty()) others = read_scores(asked.against);
    const std::shared_ptr<const Tokenizer> tokenizer =
        checkpoint_tokenizer(weights, options.tokenizer);
    if (tokenizer == nullptr)
        throw UserError(weights.title() + " does not say which tokenizer it was trained with",
                        "give --tokenizer " + tokenizer_forms(false));
    const DType precision = computed_type_option("--precision", options.precision);
    const std::unique_ptr<Device> device = open_device(options.device);
    EvaluationScores scores{weights.title(),
                            weights.metadata().step.value_or(-1),
                            tokenizer->name(),
                            options.precision,
                            {}};
    for (const AskedTask& task : tasks)
        scores.tasks.push_back(
            score_task(weights, task, *tokenizer, precision, *device, [&](size_t done, size_t all) {
                if (done % 100 == 0) eprint("{}: {} of {} scored\n", task.kind->name, done, all);
            }));
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
