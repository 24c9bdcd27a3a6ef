#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom probe linear`: how well the next token can be read from each layer.
void add_probe_linear_command(CLI::App& probe);

}  // namespace headroom
