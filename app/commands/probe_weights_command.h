#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom probe weights`: norms, gradient norms and singular values of every tensor.
void add_probe_weights_command(CLI::App& probe);

}  // namespace headroom
