#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/figure_table_command.h"
#include "app/studio_process.h"

namespace headroom {

/// `headroom figure RECIPE …`: becomes headroom-studio beside this program, which has the renderer.
/// All arguments, --help included, are its, but for `headroom figure table`.
void add_figure_command(CLI::App& app) {
    CLI::App* figure = app.add_subcommand("figure", "Write a figure to PDF, SVG, PNG or CSV");
    figure->set_help_flag();  // headroom-studio knows the recipes and explains them
    figure->prefix_command();
    add_figure_table(*figure);
    figure->callback([figure] {
        if (!figure->get_subcommands().empty()) return;  // the table
        std::vector<std::string> args = figure->remaining();
        args.insert(args.begin(), "figure");
        exec_studio(args);
    });
}

}  // namespace headroom
