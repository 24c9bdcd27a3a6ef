#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom absorb (decide|apply|make)`: whether an MLP can take in the skip around it, and the
/// MLP that does.
void add_absorb_command(CLI::App& app);

}  // namespace headroom
