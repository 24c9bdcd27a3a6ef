#include <cmath>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/checkpoint_loading.h"
#include "app/command_guard.h"
#include "app/eprint.h"
#include "app/job_loading.h"
#include "app/program_files.h"
#include "app/score_tasks.h"
#include "app/stop_signals.h"
#include "app/token_text.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/config/job_keys.h"
#include "core/model/objective_data.h"
#include "core/train/group_protocol.h"
#include "core/train/initial_weights.h"
#include "core/train/open_process_group.h"
#include "core/train/run_training.h"
#include "core/train/training_session.h"
#include "datasets/open_data.h"

namespace headroom {
namespace {

struct TrainArguments {
    std::string job, out, device;
    std::vector<std::string> sets;
    bool resume = false;
};

/// On a terminal one line that is rewritten; in a file a line at every evaluation.
void print_progress(const RunProgress& p) {
    const bool terminal = isatty(STDERR_FILENO) == 1;
    if (!terminal && !p.evaluated) return;
    const std::string val = std::isnan(p.val_loss) ? "" : fmt::format("  val {:.4f}", p.val_loss);
    const std::string accuracy =
        std::isnan(p.val_accuracy) ? "" : fmt::format("  accuracy {:.2f} %", 100 * p.val_accuracy);
    eprint("{}step {}/{}  loss {:.4f}{}{}  {:.0f} tokens/s  {:.0f} s left{}",
           terminal ? "\r\033[K" : "", p.step, p.steps, p.loss, val, accuracy, p.tokens_per_second,
           p.remaining_seconds, terminal && p.step < p.steps ? "" : "\n");
}

void warn_about_initial_weights(const Job& job, const OpenedData& data) {
    if (!job.train.starts_from_file()) return;
    const InitialWeights weights = InitialWeights::open(job);
    for (const std::string& difference : weights.differences)
        eprint("warning: train.init_from: {}\n", difference);
    const auto its = readable_tokenizer(*weights.weights);
    if (its && data.tokenizer && !is_same_vocabulary(*its, *data.tokenizer))
        eprint(
            "warning: train.init_from: the weights were trained on tokens of {}, the data are of "
            "{}\n",
            its->name(), data.tokenizer->name());
}

/// Rank 0 says what a single process would.
void introduce(const Job& job, const TrainArguments& arguments, const Device& device,
               const OpenedData& data, int processes) {
    const std::string together = processes == 1 ? "" : fmt::format(", {} processes", processes);
    eprint("{}: {} on {}{}; {}\n", job.name, job.model.arch, device.description(), together,
           ObjectiveData(job, *data.batches).info().description);
    if (!job.model.causal && job.train.objective == TrainingObjective::kNextToken)
        eprint(
            "warning: model.causal = false: positions see the tokens that they predict, so "
            "the loss measures copying; an encoder learns with train.objective = masked\n");
    if (!data.problem.empty()) eprint("warning: {}\n", data.problem);
    for (const std::string& ignored : ignored_keys(job)) eprint("warning: {}\n", ignored);
    if (!arguments.resume) warn_about_initial_weights(job, data);
}

void train_as_first(const Job& job, const TrainArguments& arguments, Device& device,
                    const OpenedData& data, ProcessGroup& group, const StopSignals& signals) {
    introduce(job, arguments, device, data, group.size());
    RunOptions options;
    options.resume = arguments.resume;
    options.stop = &signals.noted();
    options.on_progress = print_progress;
    options.on_warning = [](const std::string& text) { eprint("warning: {}\n", text); };
    if (data.tokenizer)
        options.token_text = [&](int32_t id) { return token_text(*data.tokenizer, id); };
    options.score_tasks = task_scorer(data.tokenizer, job.precision, device);
    options.group = &group;
    const RunState end = run_training(job, arguments.out, *data.batches, device, options);
    eprint("{}: {}\n", arguments.out, name_of(end));
}

/// Data parallel: what one process fails at ends all of them.
void train_together(const Job& job, const TrainArguments& arguments, Device& device,
                    const OpenedData& data, const StopSignals& signals) {
    const std::unique_ptr<ProcessGroup> group = open_process_group(program_files().modules);
    const int status = run_guarded([&] {
        check_same_kind(*group, device);
        if (group->rank() == 0)
            train_as_first(job, arguments, device, data, *group, signals);
        else
            run_worker_rank(job, *data.batches, device, *group);
        return 0;
    });
    if (status != 0) group->abort(status);
}

void train(const TrainArguments& arguments) {
    StopSignals signals;
    Job job = load_job_for_run(arguments.job, arguments.sets);
    if (!arguments.device.empty()) job.device = arguments.device;
    check_task_files(job);
    const std::unique_ptr<Device> device = open_device(job.device);
    const OpenedData data = open_all_data(job.data, job.seed);
    resolve_vocab_size(job, *data.batches);

    signals.note();
    std::signal(SIGXFSZ, SIG_IGN);  // a file-size limit is reported like a full disk
    std::signal(SIGPIPE, SIG_IGN);  // whoever has read the progress may leave
    if (launched_processes() > 1)
        train_together(job, arguments, *device, data, signals);
    else
        train_as_first(job, arguments, *device, data, solo_group(), signals);
}

}  // namespace

/// headroom train --job FILE --out RUN_DIR [--device cpu|cuda|auto] [--resume] [--set KEY=VALUE]…
void add_train_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand("train", "Train one run into a folder");
    const auto arguments = std::make_shared<TrainArguments>();
    command->add_option("--job", arguments->job, "Job file (JSON)")->required();
    command->add_option("--out", arguments->out, "Run folder; made if missing")->required();
    add_device_option(*command, arguments->device, "cpu, cuda or auto; overrides the job file");
    command->add_flag("--resume", arguments->resume,
                      "Continue from the newest checkpoint in the run folder");
    command
        ->add_option("--set", arguments->sets,
                     "Override a key of the job file, e.g. train.lr=3e-4 (repeatable)")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command->callback([arguments] { train(*arguments); });
}

}  // namespace headroom
