#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom bench probe`: how soon an attention record is there, open, and on the screen.
void add_bench_probe_command(CLI::App& bench);

}  // namespace headroom
