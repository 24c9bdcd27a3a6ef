#include "core/log/interop/read_foreign_log.h"

#include <algorithm>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/interop/json_logs.h"
#include "core/log/interop/text_logs.h"
#include "core/log/interop/tfevents.h"
#include "core/log/interop/wandb_file.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

bool is_event_file(const fs::path& path) {
    return path.filename().string().find("tfevents") != std::string::npos;
}

Paths files_of(const fs::path& folder, bool (*wanted)(const fs::path& path)) {
    Paths files;
    std::error_code ignored;
    for (const fs::path& entry : entries_of(folder))
        if (fs::is_regular_file(entry, ignored) && wanted(entry)) files.push_back(entry);
    return files;
}

ForeignLog read_event_files(const Paths& files) {
    ForeignLog log;
    for (const fs::path& file : files) read_tfevents(read_text(file), file.string(), log);
    return log;
}

void refuse_step_column(const fs::path& source) {
    throw UserError(
        "only CSV tables, JSON lines, a trainer_state.json and logs of Weights & Biases have a "
        "column of steps, and " +
            source.string() + " is none of them",
        "leave --step-column out");
}

void refuse_run(const fs::path& source) {
    throw UserError(
        "only a table that Weights & Biases exported of a panel holds several runs, and " +
            source.string() + " is none",
        "leave --source-run out");
}

ForeignLog read_folder(const fs::path& folder, const std::string& step_column) {
    const Paths runs =
        files_of(folder, [](const fs::path& path) { return path.extension() == ".wandb"; });
    const Paths events = files_of(folder, is_event_file);
    if (runs.size() == 1 && events.empty())
        return read_wandb_file(read_text(runs.front()), runs.front().string(), step_column);
    if (runs.size() > 1) throw UserError(folder.string() + " holds several runs", "name one file");
    if (events.empty())
        throw UserError(folder.string() + " holds no log of TensorBoard or Weights & Biases",
                        "name the folder of one run, with files such as events.out.tfevents.… or "
                        "run-ID.wandb");
    if (!step_column.empty()) refuse_step_column(folder);
    return read_event_files(events);
}

/// What a file is, by its name and first bytes; "" where no reader knows it.
std::string format_of(const fs::path& source, const std::string& bytes) {
    if (is_event_file(source)) return "tensorboard";
    if (is_wandb_file(bytes)) return "wandb";
    const auto text_log = recognise_text_log(bytes);
    return text_log ? text_log->name : "";
}

}  // namespace

ForeignLog read_foreign_log(const fs::path& source, const ForeignLogChoice& choice) {
    const std::string &format = choice.format, &step_column = choice.step_column;
    std::error_code ignored;
    const bool is_folder = fs::is_directory(source, ignored);
    const std::string bytes = is_folder ? "" : read_text(source);
    const std::string known = format == "auto" && !is_folder ? format_of(source, bytes) : format;
    if (!choice.run.empty() && (is_folder || known != "csv")) refuse_run(source);
    if (is_folder) return read_folder(source, step_column);
    if (known == "wandb") return read_wandb_file(bytes, source.string(), step_column);
    if (known == "csv") return read_csv_log(bytes, step_column, choice.run, choice.columns);
    if (known == "jsonl") return read_jsonl_log(bytes, step_column);
    if (known == "trainer-state") return read_trainer_state(bytes, step_column);
    if (!step_column.empty()) refuse_step_column(source);
    if (known == "tensorboard") return read_event_files({source});
    for (const TextLogFormat& text_log : text_log_formats())
        if (text_log.name == known) return text_log.read(bytes);
    if (known.empty())
        throw UserError(source.string() + " is no log that is known here",
                        "give a folder or file of TensorBoard or Weights & Biases, a log of "
                        "nanoGPT, llm.c or modded-nanogpt, a trainer_state.json of Hugging Face, a "
                        "CSV table or JSON lines");
    throw UserError(format + " is no format of logs",
                    "leave it out, so that the file is looked at");
}

std::vector<std::string> runs_in_log(const fs::path& source) {
    std::error_code ignored;
    if (!fs::is_regular_file(source, ignored)) return {};
    const std::string bytes = read_text(source);
    if (format_of(source, bytes) != "csv") return {};
    std::vector<std::string> runs = runs_of_csv(bytes);
    if (runs.size() == 1) runs.clear();
    return runs;
}

std::vector<std::string> foreign_log_formats() {
    std::vector<std::string> names{"auto", "tensorboard", "wandb"};
    for (const TextLogFormat& format : text_log_formats()) names.push_back(format.name);
    return names;
}

}  // namespace headroom
