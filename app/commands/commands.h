#pragma once

#include <vector>

namespace CLI {
class App;
}

namespace headroom {

/// Adds a command, with its options and what it runs, to the program or to another command.
using AddCommand = void (*)(CLI::App& app);

/// Every command, in the order in which `headroom --help` lists them. Each is a file of this
/// folder, NAME_command.cpp, and a line in commands.cpp.
const std::vector<AddCommand>& commands();

}  // namespace headroom
