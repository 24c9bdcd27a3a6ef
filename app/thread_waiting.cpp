#include "app/thread_waiting.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace headroom {

void limit_thread_spinning(char** argv) {
    if (std::getenv("GOMP_SPINCOUNT") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr)
        return;
    if (setenv("GOMP_SPINCOUNT", "1000", 0) != 0) return;
    // By its real path, so that the process keeps its name.
    std::error_code failed;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (!failed) execv(program.c_str(), argv);
}

}  // namespace headroom
