#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// headroom train --job FILE --out RUN_DIR [--device cpu|cuda|auto] [--resume] [--set KEY=VALUE]…
void add_train_command(CLI::App& app);

}  // namespace headroom
