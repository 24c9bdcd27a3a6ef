#include <cmath>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/eval_options.h"
#include "app/eval_task.h"
#include "app/job_loading.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/train/evaluation.h"
#include "core/train/training_session.h"
#include "datasets/open_data.h"

namespace headroom {
namespace {

struct EvalArguments {
    CheckpointArguments checkpoint;
    EvalOptions options;
    TaskOptions task;
    bool json = false;
};

void evaluate(const EvalArguments& arguments) {
    const CheckpointWeights weights = open_checkpoint(arguments.checkpoint);
    if (!arguments.task.task.empty())
        return evaluate_task(weights, arguments.options, arguments.task, arguments.json);
    const std::unique_ptr<Device> device = open_device(arguments.options.device);
    Job job = evaluation_job(weights, arguments.options);
    const std::unique_ptr<DataSource> data = open_evaluation_data(weights, job, arguments.options);
    resolve_vocab_size(job, *data);

    EvaluationSession session(job, *data, *device);
    session.load(weights);
    const double loss = session.evaluate();
    const int64_t tokens = arguments.options.tokens(job);
    if (arguments.json) {
        const nlohmann::ordered_json document = {{"loss", loss},
                                                 {"perplexity", std::exp(loss)},
                                                 {"tokens", tokens},
                                                 {"data", data->info().description}};
        fmt::print("{}\n", dump_text(document, 2));
    } else {
        fmt::print("loss {:.4f} nats per token, perplexity {:.3f}, {} tokens\n", loss,
                   std::exp(loss), tokens);
    }
}

}  // namespace

/// headroom eval --checkpoint FILE (--data SPEC | --task NAME:FILE [--limit N]) [--json]
void add_eval_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand(
        "eval", "Measure a checkpoint's loss on data, or its zero-shot scores on a task");
    const auto arguments = std::make_shared<EvalArguments>();
    add_checkpoint_options(*command, arguments->checkpoint);
    auto* what = command->add_option_group("what to measure on")->require_option(1);
    what->add_option("--data", arguments->options.data, "text:PATH, tokens:FILE or task:NAME");
    what->add_option("--task", arguments->task.task,
                     "NAME:FILE, a task in JSONL: hellaswag, arc_easy, arc_challenge, piqa, "
                     "winogrande, openbookqa, boolq, lambada, sciq");
    command->add_option("--limit", arguments->task.limit, "Items of the task; 0: all")
        ->check(CLI::Range(int64_t{0}, int64_t{1} << 32));
    add_eval_options(*command, arguments->options);
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { evaluate(*arguments); });
}

}  // namespace headroom
