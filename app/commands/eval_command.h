#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// headroom eval --checkpoint FILE --data SPEC [--json]
void add_eval_command(CLI::App& app);

}  // namespace headroom
