#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "app/help/man_output.h"
#include "app/help/program_tree.h"
#include "app/studio_process.h"

namespace headroom {

/// `headroom man [COMMAND] [--out FOLDER]`: the manual pages, made of the definitions of the
/// commands.
void add_man_command(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("man", "Print a manual page, or write all of them into a folder");
    command->footer("headroom man train | man -l - shows one.");
    const auto asked = std::make_shared<std::string>();
    const auto folder = std::make_shared<std::string>();
    command->add_option("COMMAND", *asked, "The command; the program itself where none is named");
    command->add_option("--out", *folder, "Write the page of every command into this folder")
        ->option_text("FOLDER");
    command->callback([asked, folder] {
        if (has_studio()) exec_studio({"man", *asked, *folder});
        put_out_man(program_tree(), *asked, *folder);
    });
}

}  // namespace headroom
