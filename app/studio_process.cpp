#include "app/studio_process.h"

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "app/display.h"
#include "core/base/error.h"

namespace headroom {

std::filesystem::path program_folder() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) throw EnvironmentError("/proc/self/exe cannot be read", "is /proc mounted?");
    return program.parent_path();
}

bool has_studio() {
    return access((program_folder() / "headroom-studio").c_str(), X_OK) == 0;
}

std::filesystem::path studio_program() {
    auto program = program_folder() / "headroom-studio";
    if (access(program.c_str(), X_OK) != 0)
        throw EnvironmentError("headroom-studio was not built (" + program.string() + ")",
                               "configure with -DHEADROOM_STUDIO=ON and build again");
    return program;
}

void exec_studio(const std::vector<std::string>& args) {
    const std::string program = studio_program().string();
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    throw EnvironmentError(program + " does not start: " + std::strerror(errno), "build it again");
}

void exec_studio_window(const std::vector<std::string>& args) {
    check_display();
    exec_studio(args);
}

}  // namespace headroom
