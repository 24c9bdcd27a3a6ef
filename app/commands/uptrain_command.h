#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom convert uptrain`.
void add_uptrain_command(CLI::App& convert);

}  // namespace headroom
