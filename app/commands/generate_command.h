#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom generate`: continues a text with a checkpoint, token by token.
void add_generate_command(CLI::App& app);

}  // namespace headroom
