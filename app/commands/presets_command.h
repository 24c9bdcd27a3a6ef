#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom presets [--json]`: every preset with its counts.
void add_presets_command(CLI::App& app);

}  // namespace headroom
