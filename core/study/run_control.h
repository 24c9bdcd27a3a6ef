#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/file_descriptor.h"

namespace headroom {

/// What worker.json says about the process that works on a run.
struct WorkerInfo {
    int64_t pid = 0;
    std::string host;
    std::string started;       ///< ISO 8601
    uint64_t start_ticks = 0;  ///< field 22 of /proc/PID/stat: tells a reused pid
};

/// Says that this process is the run's worker from now on.
void write_worker_info(const std::filesystem::path& run_dir);
/// None if there is no worker.json or it cannot be understood.
std::optional<WorkerInfo> read_worker_info(const std::filesystem::path& run_dir);
/// Whether the process that worker.json names still lives on this machine. False for a worker of
/// another host: nobody can tell from here but by the log's heartbeat.
bool is_worker_alive(const std::filesystem::path& run_dir);

/// Whether that process is, or was, one of this machine.
bool is_worker_of_this_host(const WorkerInfo& worker);

enum class ControlRequest { kRun, kPause, kStop };
std::string_view name_of(ControlRequest request);

/// Asks the run's worker, at once or whenever there is one. Anyone may call it.
void write_request(const std::filesystem::path& run_dir, ControlRequest request);
/// Takes back any request.
void clear_request(const std::filesystem::path& run_dir);

/// The worker's end of control.json. A poll is one stat() unless the file changed, so it can be
/// done at every step. A file that cannot be understood leaves the last request in force.
class ControlReader {
  public:
    explicit ControlReader(const std::filesystem::path& run_dir);
    ControlRequest poll();

  private:
    std::filesystem::path path_;
    uint64_t stamp_ = 0;  ///< of the file that was read last
    ControlRequest request_ = ControlRequest::kRun;
};

/// Held by the one process that writes into a run, let go when it ends however it ends.
class RunLock {
  public:
    /// UserError if another process holds it, naming the run and its worker.
    static RunLock acquire(const std::filesystem::path& run_dir);

  private:
    explicit RunLock(FileDescriptor file) : file_(std::move(file)) {}
    FileDescriptor file_;
};

}  // namespace headroom
