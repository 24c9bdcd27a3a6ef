#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom probe KIND …`: looks inside a checkpoint, into an HDF5 file.
void add_probe_command(CLI::App& app);

}  // namespace headroom
