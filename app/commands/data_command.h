#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom data (list|prepare|inspect)`: what data there are, text into token files, and a look
/// into a data spec.
void add_data_command(CLI::App& app);

}  // namespace headroom
