#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headroom {

/// Folder of the running program.
std::filesystem::path program_folder();

/// Whether headroom-studio was built and lies beside the running program.
bool has_studio();

/// headroom-studio beside the running program. Throws EnvironmentError where it was not built.
std::filesystem::path studio_program();

/// Becomes `headroom-studio ARGS`, which keeps this process's id and standard streams. Never
/// returns. Throws EnvironmentError where the studio was not built or does not start.
[[noreturn]] void exec_studio(const std::vector<std::string>& args);

/// The same for the window, which needs a display: throws EnvironmentError where there is none.
[[noreturn]] void exec_studio_window(const std::vector<std::string>& args);

}  // namespace headroom
