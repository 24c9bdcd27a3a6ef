#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace headroom {

/// A program started by this one. Destroying the object neither waits for it nor ends it.
class ChildProcess {
  public:
    /// Starts `argv` in a process group of its own (Ctrl+C in the terminal does not reach it) with
    /// no input and with both outputs appended to `output`, its environment this one's with
    /// `settings` ("NAME=VALUE") in place of those of the same names. Throws EnvironmentError if
    /// the file cannot be opened or the program not started.
    static ChildProcess start(const std::vector<std::string>& argv,
                              const std::filesystem::path& output,
                              const std::vector<std::string>& settings = {});

    pid_t pid() const { return pid_; }
    /// None while it runs; then its exit status, or 128 + the signal that ended it.
    std::optional<int> poll();
    /// Waits until it ends.
    int wait();
    /// Sends SIGTERM.
    void terminate();

  private:
    explicit ChildProcess(pid_t pid) : pid_(pid) {}
    std::optional<int> reap(int options);

    pid_t pid_;
    std::optional<int> status_;
};

}  // namespace headroom
