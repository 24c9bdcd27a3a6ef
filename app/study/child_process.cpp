#include "app/study/child_process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/open_file.h"

namespace headroom {
namespace {

/// This process's, with `settings` in place of those of the same names.
std::vector<std::string> environment_with(std::vector<std::string> settings) {
    const auto name = [](std::string_view setting) { return setting.substr(0, setting.find('=')); };
    std::vector<std::string> all = std::move(settings);
    const size_t changed = all.size();
    for (char** entry = environ; *entry; ++entry) {
        const bool kept =
            std::none_of(all.begin(), all.begin() + static_cast<ptrdiff_t>(changed),
                         [&](const std::string& setting) { return name(setting) == name(*entry); });
        if (kept) all.emplace_back(*entry);
    }
    return all;
}

/// As C wants lists of strings: null at the end.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

ChildProcess ChildProcess::start(const std::vector<std::string>& argv,
                                 const std::filesystem::path& output,
                                 const std::vector<std::string>& settings) {
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

    const std::vector<std::string> environment = environment_with(settings);
    pid_t pid = 0;
    const int error = posix_spawn(&pid, argv[0].c_str(), &actions, &attributes,
                                  pointers_to(argv).data(), pointers_to(environment).data());
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
