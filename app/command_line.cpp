#include "app/command_line.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/bench_command.h"
#include "app/commands/data_command.h"
#include "app/commands/describe_command.h"
#include "app/commands/doctor_command.h"
#include "app/commands/eval_command.h"
#include "app/commands/log_command.h"
#include "app/commands/logits_command.h"
#include "app/commands/presets_command.h"
#include "app/commands/study_command.h"
#include "app/commands/train_command.h"
#include "app/studio_process.h"
#include "core/base/cpu_features.h"
#include "core/base/error.h"
#include "core/base/nearest.h"

namespace headroom {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadInput = 2;

/// Every command, in the order in which `headroom --help` lists them.
void add_commands(CLI::App& app) {
    add_study_command(app);
    add_train_command(app);
    add_eval_command(app);
    add_logits_command(app);
    add_log_command(app);
    add_data_command(app);
    add_bench_command(app);
    add_doctor_command(app);
    add_presets_command(app);
    add_describe_command(app);
}

int report(std::string message, int status) {
    std::replace(message.begin(), message.end(), '\n', ' ');
    std::fprintf(stderr, "error: %s\n", message.c_str());
    return status;
}

/// The command that the arguments got as far as: "headroom study run".
const CLI::App& innermost_command(const CLI::App& app, std::string& full_name) {
    const CLI::App* command = &app;
    full_name = app.get_name();
    while (!command->get_subcommands().empty()) {
        command = command->get_subcommands().front();
        full_name += " " + command->get_name();
    }
    return *command;
}

/// Says what is wrong with the arguments and what would be right.
std::string explain(const CLI::App& app, const CLI::ParseError& error) {
    std::string full_name;
    const CLI::App& command = innermost_command(app, full_name);
    const std::vector<std::string> extras = command.remaining();
    const std::string see = "see " + full_name + " --help";
    if (extras.empty()) return std::string(error.what()) + "; " + see;

    std::vector<std::string> known;
    for (const CLI::Option* option : command.get_options())
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const CLI::App* sub : command.get_subcommands({})) known.push_back(sub->get_name());
    const std::string word = extras.front().substr(0, extras.front().find('='));
    const std::string guess = nearest(word, known);
    return full_name + ": unexpected argument \"" + extras.front() + "\"; " +
           (guess.empty() ? see : "did you mean \"" + guess + "\"? (" + see + ")");
}

/// `headroom WORD` where WORD is no command: a folder opens in the studio, the rest is an error.
int open_study(const CLI::App& app, int argc, char** argv) {
    const std::string word = argv[1];
    std::error_code ignored;
    if (!std::filesystem::is_directory(word, ignored)) {
        std::vector<std::string> names;
        for (const CLI::App* command : app.get_subcommands({}))
            names.push_back(command->get_name());
        throw UserError("\"" + word + "\" is neither a command nor a study folder" +
                        suggestion(word, names));
    }
    exec_studio_window({argv + 1, argv + argc});
}

int dispatch(int argc, char** argv) {
    check_cpu_features();
    CLI::App app("Trains attention variants side by side, looks inside them and draws the figures.",
                 "headroom");
    app.set_version_flag("--version", "headroom " HEADROOM_VERSION);
    app.require_subcommand(0, 1);
    app.footer(
        "headroom [STUDY_DIR] opens the studio. headroom COMMAND --help explains a command.");
    add_commands(app);

    if (argc < 2) exec_studio_window({});
    const auto commands = app.get_subcommands({});
    const bool is_command = std::any_of(commands.begin(), commands.end(), [&](const auto* command) {
        return command->get_name() == argv[1];
    });
    if (!is_command && argv[1][0] != '-') return open_study(app, argc, argv);
    try {
        app.parse(argc, argv);
        return kDone;
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        return report(explain(app, error), kBadInput);
    }
}

}  // namespace

int run_command_line(int argc, char** argv) {
    try {
        return dispatch(argc, argv);
    } catch (const UserError& error) {
        return report(error.what(), kBadInput);
    } catch (const InternalError& error) {
        return report(std::string(error.what()) + "; this is a bug in headroom", kFailed);
    } catch (const std::bad_alloc&) {
        return report("out of memory; close other programs or make the job smaller", kFailed);
    } catch (const std::exception& error) {
        return report(error.what(), kFailed);
    } catch (...) {
        return report("something of an unknown kind was thrown; this is a bug in headroom",
                      kFailed);
    }
}

}  // namespace headroom
