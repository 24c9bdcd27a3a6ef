#pragma once

#include "app/help/command_page.h"

namespace headroom {

/// `headroom-studio figure RECIPE … --out FILE`: writes a figure without a window; needs no
/// display. argv[1] is "figure". Returns the exit status.
int figure_main(int argc, char** argv);

/// All commands of the command line, the recipes of `headroom figure` among them.
CommandPage whole_program_tree();

/// What `headroom completion SHELL` and `headroom man [COMMAND [FOLDER]]` print or write: those
/// words are argv[1] and what follows. Returns the exit status.
int help_main(int argc, char** argv);

}  // namespace headroom
