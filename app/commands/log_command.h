#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// headroom log dump RUN_DIR [--series GROUP/NAME]… [--csv|--json]
void add_log_command(CLI::App& app);

}  // namespace headroom
