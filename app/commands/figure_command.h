#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom figure RECIPE …`: becomes headroom-studio beside this program, which has the renderer.
/// All arguments, --help included, are its.
void add_figure_command(CLI::App& app);

}  // namespace headroom
