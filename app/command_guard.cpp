#include "app/command_guard.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/printable.h"

namespace headroom {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kBadInput = 2;
/// Of an error, which may quote what it found.
constexpr size_t kLongestLine = 1900;

int report(std::string message, int status) {
    std::replace(message.begin(), message.end(), '\n', ' ');
    std::fprintf(stderr, "error: %s\n", printable(message, kLongestLine).c_str());
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

/// What was printed may still be on its way to a disk that is full.
void finish_output() {
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        throw EnvironmentError("cannot write to standard output", "check where it goes");
}

}  // namespace

int run_commands(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
        return kDone;
    } catch (const CLI::Success& help) {
        return app.exit(help);
    } catch (const CLI::ParseError& error) {
        return report(explain(app, error), kBadInput);
    }
}

int run_guarded(const std::function<int()>& work) {
    try {
        const int status = work();
        if (status == kDone) finish_output();
        return status;
    } catch (const UserError& error) {
        return report(error.what(), kBadInput);
    } catch (const InternalError& error) {
        return report(std::string(error.what()) + "; this is a bug in headroom", kFailed);
    } catch (const std::filesystem::filesystem_error& error) {  // a name that is too long, a loop
        return report(error.path1().string() + ": " + error.code().message() + "; check the path",
                      kBadInput);
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
