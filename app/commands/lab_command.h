#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom lab NAME`: the papers' theorems as experiments (core/lab/).
void add_lab_command(CLI::App& app);

}  // namespace headroom
