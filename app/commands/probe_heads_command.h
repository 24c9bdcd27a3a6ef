#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom probe heads`: what each head attends to, as one number per head and measure.
void add_probe_heads_command(CLI::App& probe);

}  // namespace headroom
