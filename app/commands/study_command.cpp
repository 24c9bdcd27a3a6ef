#include "app/commands/study_command.h"

#include <csignal>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/studio_process.h"
#include "app/study/study_expand.h"
#include "app/study/study_figures.h"
#include "app/study/study_runner.h"
#include "app/study/study_status.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

struct StudyArguments {
    std::string study_dir;
    bool retry = false;
    bool json = false;
};

volatile std::sig_atomic_t g_interrupted = 0;

/// The study's folder, checked: it holds a study.json or runs.
fs::path study_folder(const StudyArguments& arguments) {
    const fs::path folder = arguments.study_dir;
    if (!fs::is_directory(folder))
        throw UserError("\"" + folder.string() + "\" is not a folder",
                        "name the folder that holds study.json");
    if (!fs::exists(folder / "study.json") && !fs::is_directory(folder / "runs"))
        throw UserError("\"" + folder.string() + "\" is not a study: it has no study.json",
                        "resources/demo/study.json is an example");
    return fs::canonical(folder);
}

void say(const std::string& line) {
    fmt::print(stderr, "{}\n", printable(line));
}

/// Nothing is drawn, and nothing is wrong, where the studio was not built.
bool draw_figures(const Study& study, const fs::path& folder) {
    std::string studio;
    try {
        studio = studio_program().string();
    } catch (const EnvironmentError& error) {
        say(fmt::format("no figures: {}", error.what()));
        return true;
    }
    return write_figures(study, folder, studio, say);
}

StudyRunnerOptions runner_options(const std::optional<Study>& study, const fs::path& folder,
                                  bool retry) {
    StudyRunnerOptions options{.headroom = (program_folder() / "headroom").string(), .say = say};
    if (study)
        for (const StudyRun& run : study->runs) options.order.push_back(run.id);
    options.prepare = [&study, folder, retry] {
        if (study) expand_study(*study, folder, say);
        if (retry) requeue(folder);
    };
    return options;
}

/// Trains, then draws what there is, also after a failure or an interrupt.
void run(const StudyArguments& arguments) {
    const fs::path folder = study_folder(arguments);
    std::optional<Study> study;
    if (fs::exists(folder / "study.json")) study = load_study(folder / "study.json");
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { g_interrupted = 1; });

    StudyRunner runner(folder, runner_options(study, folder, arguments.retry));
    const bool all_finished = runner.run_all([] { return g_interrupted != 0; });
    const bool all_drawn = !study || study->figures.empty() || draw_figures(*study, folder);
    fmt::print("{}", status_table(study_rows(folder)));
    if (!all_finished)
        throw EnvironmentError(folder.string() + ": not every run finished",
                               "headroom study run goes on with interrupted runs, with --retry "
                               "also with failed and stopped ones");
    if (!all_drawn)
        throw EnvironmentError(folder.string() + ": not every figure could be drawn",
                               "the lines above say why");
}

void status(const StudyArguments& arguments) {
    const fs::path folder = study_folder(arguments);
    const auto rows = study_rows(folder);
    if (arguments.json)
        fmt::print("{}\n", dump_text(status_json(folder, rows), 2));
    else if (rows.empty())
        fmt::print("no runs yet; headroom study run {} makes them\n", arguments.study_dir);
    else
        fmt::print("{}", status_table(rows));
}

void stop(const StudyArguments& arguments) {
    const int count = request_stop(study_folder(arguments));
    fmt::print(stderr, "{} run(s) asked to stop; headroom study run --retry goes on with them\n",
               count);
}

CLI::App* add_verb(CLI::App& study, const char* name, const char* help,
                   const std::shared_ptr<StudyArguments>& arguments,
                   void (*work)(const StudyArguments&)) {
    CLI::App* verb = study.add_subcommand(name, help);
    verb->add_option("STUDY_DIR", arguments->study_dir, "The study's folder")->required();
    verb->callback([arguments, work] { work(*arguments); });
    return verb;
}

}  // namespace

void add_study_command(CLI::App& app) {
    CLI::App* study = app.add_subcommand("study", "Train all runs of a study, or look after them");
    study->require_subcommand(1);
    const auto arguments = std::make_shared<StudyArguments>();
    add_verb(*study, "run", "Train every queued run, one after the other, then draw the figures",
             arguments, run)
        ->add_flag("--retry", arguments->retry, "Take up failed and stopped runs again");
    add_verb(*study, "status", "Say how far every run is", arguments, status)
        ->add_flag("--json", arguments->json, "Print one JSON document");
    add_verb(*study, "stop", "Ask every run to stop after its step", arguments, stop);
}

}  // namespace headroom
