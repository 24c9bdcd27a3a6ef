#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom memory (--preset NAME | --job FILE | --checkpoint FILE)`: the memory ledger.
void add_memory_command(CLI::App& app);

}  // namespace headroom
