#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "tests/support/watched_child.h"

namespace headroom {

/// Starts a program, its output going to the end of the file `log`, with `environment` besides this
/// one's. With `seconds` it is ended after so many, by SIGALRM. End it with wait_for_child().
inline pid_t start_program(const std::string& program, std::vector<std::string> arguments,
                           const std::string& log,
                           const std::map<std::string, std::string>& environment = {},
                           unsigned seconds = 0) {
    return start_child([&] {
        ::alarm(seconds);  // outlives exec
        for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
        const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(fd, STDOUT_FILENO);
        ::dup2(fd, STDERR_FILENO);
        std::vector<char*> argv{const_cast<char*>(program.c_str())};
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        ::execv(program.c_str(), argv.data());
        return 100;
    });
}

}  // namespace headroom
