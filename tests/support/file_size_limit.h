#pragma once

#include <csignal>
#include <exception>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace headroom {

/// Runs `body` in a child process whose files may not grow beyond `limit` bytes, as on a full disk,
/// and returns the body's result (0..100); more if the child crashed or did not end by itself.
template <class Body>
int with_file_size_limit(rlim_t limit, Body&& body) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        ::alarm(60);
        const rlimit bound{limit, limit};
        ::setrlimit(RLIMIT_FSIZE, &bound);
        try {
            ::_exit(body());
        } catch (const std::exception&) {
            ::_exit(101);
        }
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace headroom
