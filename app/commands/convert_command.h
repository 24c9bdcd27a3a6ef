#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom convert import|export|uptrain`.
void add_convert_command(CLI::App& app);

}  // namespace headroom
