#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom probe mixing`: mixing weights that an architecture learned, against depth.
void add_probe_mixing_command(CLI::App& probe);

}  // namespace headroom
