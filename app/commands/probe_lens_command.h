#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom probe lens`: what the model would say after each layer.
void add_probe_lens_command(CLI::App& probe);

}  // namespace headroom
