#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace headroom {

/// Runs `work` and gives its exit status. What it throws becomes one line on standard error,
/// `error: WHAT; HOW TO MEND IT`, and the status 2 (UserError: wrong usage or bad input) or 1; so
/// does standard output that does not take everything.
int run_guarded(const std::function<int()>& work);

/// Parses the arguments and runs the callbacks of the commands in them; help is printed. An error
/// in the arguments becomes one line that names the nearest word that would have been right.
/// What the callbacks throw goes through.
int run_commands(CLI::App& app, int argc, char** argv);

}  // namespace headroom
