#include "app/help/program_tree.h"

#include <CLI/CLI.hpp>

#include "app/commands/commands.h"
#include "core/base/build_info.h"

namespace headroom {

void add_program_commands(CLI::App& app) {
    app.name("headroom");
    app.description(
        "Trains attention variants side by side, looks inside them and draws the figures.");
    app.set_version_flag("--version", build_text());
    app.require_subcommand(0, 1);
    for (const AddCommand add : commands()) add(app);
    // After the commands, which would inherit it.
    app.footer(
        "headroom [STUDY_DIR or CHECKPOINT] opens the studio. headroom COMMAND --help explains "
        "one.");
}

CommandPage program_tree() {
    CLI::App app;
    add_program_commands(app);
    return describe_command(app);
}

}  // namespace headroom
