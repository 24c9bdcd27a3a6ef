#include <cmath>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/eval_options.h"
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
    bool json = false;
};

void evaluate(const EvalArguments& arguments) {
    const std::unique_ptr<Device> device = open_device(arguments.options.device);
    const CheckpointWeights weights = open_checkpoint(arguments.checkpoint);
    Job job = evaluation_job(weights, arguments.options);
    const std::unique_ptr<BatchSource> data = open_evaluation_data(weights, job, arguments.options);
    resolve_vocab_size(job, *data);

    EvaluationSession session(job, *data, *device);
    session.load(weights);
    const double loss = session.evaluate();
    const int64_t tokens = arguments.options.tokens(job);
    if (arguments.json) {
        const nlohmann::ordered_json document = {{"loss", loss},
                                                 {"perplexity", std::exp(loss)},
                                                 {"tokens", tokens},
                                                 {"data", data->describe()}};
        fmt::print("{}\n", dump_text(document, 2));
    } else {
        fmt::print("loss {:.4f} nats per token, perplexity {:.3f}, {} tokens\n", loss,
                   std::exp(loss), tokens);
    }
}

}  // namespace

/// headroom eval --checkpoint FILE --data SPEC [--json]
void add_eval_command(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("eval", "Measure a checkpoint's loss and perplexity on data");
    const auto arguments = std::make_shared<EvalArguments>();
    add_checkpoint_options(*command, arguments->checkpoint);
    command->add_option("--data", arguments->options.data, "text:PATH, tokens:FILE or task:NAME")
        ->required();
    add_eval_options(*command, arguments->options);
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { evaluate(*arguments); });
}

}  // namespace headroom
