#include "app/log_transfer.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/eprint.h"
#include "app/log_dump.h"
#include "app/number_checks.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/log/interop/read_foreign_log.h"
#include "core/log/interop/tfevents.h"
#include "core/log/run_log_reader.h"
#include "core/study/import_log.h"
#include "core/study/run_folder.h"
#include "core/study/study_edit.h"
#include "core/study/study_folder.h"
#include "panels/study/run_groups.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

struct ImportArguments {
    std::string source, study_dir, id;
    ForeignLogChoice reading;
    ImportChoice choice;
    bool json = false;
};

void import(const ImportArguments& arguments) {
    if (arguments.source.empty())
        throw UserError("no log is named", "give SOURCE: a file or folder of one run");
    const fs::path study = arguments.study_dir;
    std::error_code ignored;
    const bool is_study = looks_like_study(study);
    if (!is_study && fs::exists(study, ignored) && !fs::is_empty(study, ignored))
        throw UserError(arguments.study_dir + " is no study",
                        "name a folder with a study.json, or a new one");
    const std::string id = arguments.id.empty()
                               ? run_id_of_source(arguments.source, arguments.reading.run)
                               : arguments.id;
    const fs::path run = imported_run_folder(study, id);
    ForeignLogChoice reading = arguments.reading;
    reading.columns = {arguments.choice.train_loss, arguments.choice.val_loss};
    const ImportReport report =
        import_log(read_foreign_log(arguments.source, reading), arguments.choice, run);
    if (!is_study) begin_study(study);
    for (const std::string& note : report.notes) eprint("note: {}\n", note);
    if (arguments.json) {
        const nlohmann::ordered_json document{
            {"run", run.string()},         {"train_loss", report.train_loss},
            {"val_loss", report.val_loss}, {"train_rows", report.train_rows},
            {"val_rows", report.val_rows}, {"scalars", report.others},
            {"notes", report.notes}};
        return fmt::print("{}\n", dump_text(document, 2));
    }
    fmt::print("{}: {} rows of {}, {} of {}\n", run.string(), report.train_rows,
               report.train_loss.empty() ? "no training loss" : report.train_loss, report.val_rows,
               report.val_loss.empty() ? "no validation loss" : report.val_loss);
    if (!report.others.empty()) fmt::print("scalars: {}\n", fmt::join(report.others, ", "));
}

struct ExportArguments {
    std::string run_dir, out, format = "tensorboard";
};

/// TensorBoard takes all events of a folder for one run.
void check_has_no_other_run(const fs::path& folder, const fs::path& own, const std::string& run) {
    for (const fs::path& entry : entries_of(folder))
        if (entry != own && entry.filename().string().find("tfevents") != std::string::npos)
            throw UserError(
                fmt::format("{} holds the events of another run: {}", folder.string(),
                            entry.filename().string()),
                fmt::format("give each run its own folder, such as {}", (folder / run).string()));
}

void export_run(const ExportArguments& arguments) {
    const RunSeries series = read_run_log(RunFolder{arguments.run_dir}.log());
    if (arguments.format == "csv") {
        check_not_of_study(arguments.out);
        write_file_atomically(arguments.out, dump_csv(series, series_names(series)));
        fmt::print("{}\n", arguments.out);
        return;
    }
    const double started = parse_iso_time(series.attributes.started);
    const fs::path folder = arguments.out;
    const std::string run = fs::canonical(arguments.run_dir).filename().string();
    const fs::path file = folder / fmt::format("events.out.tfevents.{}.headroom.{}",
                                               static_cast<int64_t>(std::max(started, 0.0)), run);
    make_folder(folder);
    check_has_no_other_run(folder, file, run);
    write_file_atomically(file, make_tfevents(exported_log(series, started)));
    fmt::print("{}\n", file.string());
}

}  // namespace

void add_log_import(CLI::App& log) {
    const auto arguments = std::make_shared<ImportArguments>();
    CLI::App* command = log.add_subcommand(
        "import",
        "Make a run of what another tool logged: TensorBoard or Weights & Biases (file or folder), "
        "Trackio as CSV or JSON lines, a trainer_state.json of Hugging Face, nanoGPT, llm.c, "
        "modded-nanogpt");
    CLI::Option* source = command->add_option("SOURCE", arguments->source,
                                              "Log file, event file or folder of one run");
    command->add_option("--from", arguments->source, "SOURCE by another name")->excludes(source);
    command
        ->add_option("--study,--out", arguments->study_dir,
                     "The study that gets the run; a new folder becomes one")
        ->required();
    command->add_option("--run", arguments->id,
                        "Folder of the run (the name of --source-run, else the source's)");
    command->add_option("--source-run", arguments->reading.run,
                        "The run to import of a table that Weights & Biases exported of a panel "
                        "with several");
    command->add_option("--name", arguments->choice.name,
                        "Name for people (the tool's, else the folder's)");
    const std::vector<std::string> formats = foreign_log_formats();
    command
        ->add_option("--format", arguments->reading.format,
                     fmt::format("{}", fmt::join(formats, ", ")))
        ->check(one_of(formats));
    command->add_option(
        "--step-column", arguments->reading.step_column,
        "Of CSV, JSON lines and Weights & Biases (train/global_step, step, iter and "
        "the like before _step, else the row)");
    command->add_option("--train-loss", arguments->choice.train_loss,
                        "The scalar that is the training loss (train/loss and the like)");
    command->add_option("--val-loss", arguments->choice.val_loss,
                        "The scalar that is the validation loss (val/loss and the like)");
    command
        ->add_option("--tokens-per-step", arguments->choice.tokens_per_step,
                     "batch_size x seq_len x grad_accum, where the log does not say it")
        ->check(above_zero, "ABOVE 0");
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { import(*arguments); });
}

void add_log_export(CLI::App& log) {
    const auto arguments = std::make_shared<ExportArguments>();
    CLI::App* command = log.add_subcommand(
        "export",
        "Write the losses, rates, norms, tokens and scalars of a run as an event file of "
        "TensorBoard, or all of its series as CSV");
    command->add_option("RUN_DIR", arguments->run_dir, "Run folder")->required();
    command
        ->add_option("--format", arguments->format,
                     "tensorboard, or csv: every series, as log dump prints them")
        ->check(one_of({"tensorboard", "csv"}))
        ->capture_default_str();
    command->add_option("--out", arguments->out, "Folder for the event file; the CSV file")
        ->required();
    command->callback([arguments] { export_run(*arguments); });
}

}  // namespace headroom
