#include "core/log/trial.h"

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include <fcntl.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file_descriptor.h"
#include "core/log/read_all.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMaxSeconds = 60;
/// Of memory that a trial may take beyond what its process has.
constexpr rlim_t kMaxBytes = rlim_t{4} << 30;

/// The end of a socket that this program asks its trials through.
struct Trials {
    std::mutex mutex;
    FileDescriptor socket;
};

Trials& trials() {
    static auto* const instance = new Trials;
    return *instance;
}

rlim_t bytes_of_address_space() {
    std::array<char, 32> pages{};
    const FileDescriptor file(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
    if (!file || ::read(file.get(), pages.data(), pages.size() - 1) <= 0) return 0;
    return static_cast<rlim_t>(std::strtoull(pages.data(), nullptr, 10)) *
           static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

/// What a handler of this program would do about a signal is of no use here.
void take_default_signals() {
    for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// A file to be read: its way, then its path.
using Request = std::array<char, PATH_MAX + 1>;

/// The length of the next message, 0 or less if there will be none.
ssize_t receive(int socket, void* message, size_t max_bytes) {
    ssize_t bytes = 0;
    do bytes = ::recv(socket, message, max_bytes, 0);
    while (bytes < 0 && errno == EINTR);
    return bytes;
}

/// Whether one came; the rest of it is zeros.
bool receive(int socket, Request& request) {
    request.fill('\0');
    return receive(socket, request.data(), PATH_MAX) > 0;
}

bool send(int socket, const Request& request) {
    return ::send(socket, request.data(), 1 + std::strlen(&request[1]), MSG_NOSIGNAL) > 0;
}

/// Both ends of a connection that keeps messages apart; neither if there are no descriptors.
std::pair<FileDescriptor, FileDescriptor> connection() {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) ends = {-1, -1};
    return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// Reads what it is told to, and says so after each, until a file ends it.
[[noreturn]] void read_files(int socket) {
    take_default_signals();
    const auto limit = [](auto resource, rlim_t value) {
        const rlimit both{value, value};
        ::setrlimit(resource, &both);
    };
    limit(RLIMIT_CORE, 0);
    if (const rlim_t now = bytes_of_address_space(); now > 0) limit(RLIMIT_AS, now + kMaxBytes);
    // Memory never begins as zeros here, as in a program that has worked for a while.
    ::mallopt(M_PERTURB, 0x5a);
    for (Request request; receive(socket, request);) {
        ::alarm(kMaxSeconds);
        try {
            h5::read_all_of(&request[1], static_cast<h5::Reading>(request[0]));
        } catch (const std::exception&) {
            // Refused by name, here as in the program.
        }
        ::alarm(0);
        const char done = 1;
        if (::send(socket, &done, 1, MSG_NOSIGNAL) < 0) break;
    }
    ::_exit(0);
}

/// The process that reads files, started anew after one that ended it.
class Reader {
  public:
    /// The signal that ended it with this file, 0 if it came back.
    int signal_of(const Request& request) {
        const bool fresh = read_ == 0;
        const int signal = try_once(request);
        // What the files before it did to a reader is not to count against this one.
        return signal != 0 && !fresh ? try_once(request) : signal;
    }

  private:
    int try_once(const Request& request) {
        if (!socket_ && !start()) return 0;
        char done = 0;
        if (send(socket_.get(), request) && receive(socket_.get(), &done, 1) == 1) {
            ++read_;
            return 0;
        }
        int status = 0;
        ::kill(pid_, SIGKILL);  // if it is there and does not answer
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        socket_.reset();
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    bool start() {
        auto [ours, theirs] = connection();
        if (!ours || (pid_ = ::fork()) < 0) return false;
        if (pid_ == 0) {
            ours.reset();
            read_files(theirs.get());
        }
        socket_ = std::move(ours);
        read_ = 0;
        return true;
    }

    FileDescriptor socket_;
    pid_t pid_ = -1;
    int64_t read_ = 0;
};

/// The process that has files read, until nobody can ask any more.
[[noreturn]] void serve_trials(int socket) {
    ::prctl(PR_SET_NAME, "headroom-trials");
    // A key that interrupts the program must not take its trials away while it finishes.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
        std::signal(signal, SIG_IGN);
    std::signal(SIGCHLD, SIG_DFL);
    // Locks, pipes and windows of the program are not to live on in here.
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int standard : {0, 1, 2}) ::dup2(nothing, standard);
    ::dup2(socket, 3);
    ::close_range(4, ~0U, 0);
    Reader reader;
    for (Request request; receive(3, request);) {
        const int signal = reader.signal_of(request);
        if (::send(3, &signal, sizeof signal, MSG_NOSIGNAL) < 0) break;
    }
    ::_exit(0);
}

}  // namespace

void start_trials() {
    auto [ours, theirs] = connection();
    const pid_t pid = ours ? ::fork() : -1;
    if (pid == 0) serve_trials(theirs.get());
    if (pid > 0) trials().socket = std::move(ours);
}

int signal_of_trial(const fs::path& path, h5::Reading reading) {
    const std::lock_guard lock(trials().mutex);
    const FileDescriptor& socket = trials().socket;
    const std::string name = fs::absolute(path).string();
    if (!socket || name.size() + 1 >= PATH_MAX) return 0;
    Request request{};
    request[0] = static_cast<char>(reading);
    name.copy(&request[1], name.size());
    int signal = 0;
    if (!send(socket.get(), request)) return 0;
    return receive(socket.get(), &signal, sizeof signal) == sizeof signal ? signal : 0;
}

}  // namespace headroom
