#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/help/completion.h"
#include "app/help/program_tree.h"
#include "app/studio_process.h"
#include "app/word_check.h"

namespace headroom {

/// `headroom completion SHELL`: a script that completes commands and options. Where the studio was
/// built it answers, since it knows the recipes of `headroom figure`.
void add_completion_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand(
        "completion", "Print a script that completes commands and options in a shell");
    command->footer("bash: source <(headroom completion bash)");
    const auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "The shell")
        ->required()
        ->check(one_of({"bash", "zsh", "fish"}));
    command->callback([shell] {
        if (has_studio()) exec_studio({"completion", *shell});
        fmt::print("{}", completion_script(program_tree(), *shell));
    });
}

}  // namespace headroom
