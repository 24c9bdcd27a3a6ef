#pragma once

namespace headroom {

/// Runs `headroom ARGS`. Errors become one line on standard error, `error: WHAT; HOW TO MEND IT`.
/// Returns the exit status: 0 done, 1 failed while running, 2 wrong usage or bad input.
/// With no argument, or with a folder in the place of a command, this process becomes the studio.
int run_command_line(int argc, char** argv);

}  // namespace headroom
