#include "core/study/run_control.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_numbers.h"
#include "core/base/json_text.h"
#include "core/base/open_file.h"
#include "core/base/system_info.h"
#include "core/study/run_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// These files are one short line; anything larger is not ours.
constexpr uint64_t kMaxBytes = 1 << 16;

/// The JSON object in a file that others write, or null.
json read_object(const fs::path& path) {
    try {
        json object = parse_json_or_null(read_text(path, kMaxBytes));
        return object.is_object() ? object : json();
    } catch (const std::exception&) {
        return json();
    }
}

/// Fields 3 (state) and 22 (start time) of /proc/PID/stat.
struct ProcessStat {
    char state = '?';
    uint64_t start_ticks = 0;
};

std::optional<ProcessStat> read_process_stat(int64_t pid) {
    const FileDescriptor fd(
        ::open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 2048> text{};
    if (!fd) return std::nullopt;
    const ssize_t size = ::read(fd.get(), text.data(), text.size());
    if (size <= 0) return std::nullopt;
    // The name of the program stands in parentheses and may hold anything, blanks too.
    std::string_view rest(text.data(), static_cast<size_t>(size));
    const size_t name_end = rest.rfind(')');
    if (name_end == std::string_view::npos || name_end + 2 >= rest.size()) return std::nullopt;
    rest.remove_prefix(name_end + 2);
    ProcessStat result;
    result.state = rest.front();
    for (int field = 3; field < 22; ++field) {
        const size_t blank = rest.find(' ');
        if (blank == std::string_view::npos) return std::nullopt;
        rest.remove_prefix(blank + 1);
    }
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), result.start_ticks);
    if (parsed.ec != std::errc()) return std::nullopt;
    return result;
}

/// Tells one content of a file from the next without reading it; 0 if there is no file.
uint64_t stamp_of(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return 0;
    uint64_t stamp = 0xcbf29ce484222325ull;
    for (const uint64_t part :
         {static_cast<uint64_t>(status.st_ino), static_cast<uint64_t>(status.st_size),
          static_cast<uint64_t>(status.st_mtim.tv_sec),
          static_cast<uint64_t>(status.st_mtim.tv_nsec)})
        stamp = (stamp ^ part) * 0x9e3779b97f4a7c15ull;
    return stamp | 1;
}

constexpr std::array<ControlRequest, 3> kRequests{ControlRequest::kRun, ControlRequest::kPause,
                                                  ControlRequest::kStop};

}  // namespace

void write_worker_info(const fs::path& run_dir) {
    const std::optional<ProcessStat> self = read_process_stat(::getpid());
    const json info = {{"pid", ::getpid()},
                       {"host", host_name()},
                       {"started", iso_time_now()},
                       {"start_ticks", self ? self->start_ticks : 0}};
    write_file_atomically(RunFolder{run_dir}.worker(), info.dump() + "\n");
}

std::optional<WorkerInfo> read_worker_info(const fs::path& run_dir) {
    try {
        const json object = read_object(RunFolder{run_dir}.worker());
        WorkerInfo info;
        info.pid = whole_number(object.at("pid")).value();
        info.host = object.at("host").get<std::string>();
        info.start_ticks = static_cast<uint64_t>(whole_number(object.at("start_ticks")).value());
        info.started = object.value("started", "");
        if (info.pid <= 0) return std::nullopt;
        return info;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

bool is_worker_of_this_host(const WorkerInfo& worker) {
    return worker.host == host_name();
}

bool is_worker_alive(const fs::path& run_dir) {
    const std::optional<WorkerInfo> worker = read_worker_info(run_dir);
    if (!worker || !is_worker_of_this_host(*worker)) return false;
    const std::optional<ProcessStat> process = read_process_stat(worker->pid);
    return process && process->start_ticks == worker->start_ticks && process->state != 'Z' &&
           process->state != 'X';
}

std::string_view name_of(ControlRequest request) {
    switch (request) {
        case ControlRequest::kRun:
            return "run";
        case ControlRequest::kPause:
            return "pause";
        case ControlRequest::kStop:
            return "stop";
    }
    CHECK(false, "unknown request");
}

void write_request(const fs::path& run_dir, ControlRequest request) {
    require_own_folder(run_dir);
    const json text = {{"request", name_of(request)}};
    write_file_atomically(RunFolder{run_dir}.control(), text.dump() + "\n");
}

void clear_request(const fs::path& run_dir) {
    require_own_folder(run_dir);
    std::error_code ignored;
    fs::remove(RunFolder{run_dir}.control(), ignored);
}

ControlReader::ControlReader(const fs::path& run_dir) : path_(RunFolder{run_dir}.control()) {}

ControlRequest ControlReader::poll() {
    const uint64_t stamp = stamp_of(path_);
    if (stamp == stamp_) return request_;
    stamp_ = stamp;
    if (stamp == 0) return request_ = ControlRequest::kRun;
    const json object = read_object(path_);
    if (!object.is_object() || !object.contains("request")) return request_;
    for (const ControlRequest request : kRequests)
        if (object["request"] == name_of(request)) request_ = request;
    return request_;
}

RunLock RunLock::acquire(const fs::path& run_dir) {
    const fs::path path = RunFolder{run_dir}.lock();
    FileDescriptor file = open_for_writing(path, OpenForWriting::kInPlace);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return RunLock(std::move(file));
    if (errno != EWOULDBLOCK)
        throw EnvironmentError(fmt::format("cannot lock {}: {}", path.string(), strerror(errno)),
                               "choose a folder on a disk that knows file locks");
    const std::optional<WorkerInfo> worker = read_worker_info(run_dir);
    throw UserError(fmt::format("another process{} works on {}",
                                worker ? fmt::format(" ({})", worker->pid) : "", run_dir.string()),
                    "stop it or wait until it has finished");
}

}  // namespace headroom
