#pragma once

#include "app/help/command_page.h"

namespace headroom {

/// Adds every command to the program, and what `headroom --help` says at its end.
void add_program_commands(CLI::App& app);

/// All commands of the command line. The recipes of `headroom figure` are not among them:
/// headroom-studio knows those (app/figure/figure_main.h).
CommandPage program_tree();

}  // namespace headroom
