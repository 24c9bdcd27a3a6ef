#include "app/study/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/open_file.h"

namespace headroom {

ChildProcess ChildProcess::start(const std::vector<std::string>& argv,
                                 const std::filesystem::path& output) {
    const FileDescriptor log = open_for_writing(output, OpenForWriting::kAppend);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, log.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, log.get(), STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);

    std::vector<char*> arguments;
    for (const std::string& arg : argv) arguments.push_back(const_cast<char*>(arg.c_str()));
    arguments.push_back(nullptr);
    pid_t pid = 0;
    const int error =
        posix_spawn(&pid, argv[0].c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0)
        throw EnvironmentError(argv[0] + " does not start: " + std::strerror(error),
                               "build it again");
    return ChildProcess(pid);
}

std::optional<int> ChildProcess::reap(int options) {
    if (status_) return status_;
    int raw = 0;
    pid_t reaped = 0;
    do reaped = waitpid(pid_, &raw, options);
    while (reaped < 0 && errno == EINTR);
    if (reaped == 0) return std::nullopt;
    CHECK(reaped == pid_, "waitpid lost a child");
    status_ = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
    return status_;
}

std::optional<int> ChildProcess::poll() {
    return reap(WNOHANG);
}

int ChildProcess::wait() {
    return *reap(0);
}

void ChildProcess::terminate() {
    if (!poll()) kill(pid_, SIGTERM);
}

}  // namespace headroom
