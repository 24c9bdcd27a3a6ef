// A library to be preloaded: calls of a program to the system fail when they are told to.
//
// HEADROOM_FAULT=KIND:N   the Nth call of that kind (from 1) fails
//   write                   with EIO, once
//   sync                    fsync, with EIO, once
//   rename                  with EACCES, once
//   open                    for writing, with EACCES, and so do all later ones
//   full                    half of a write that needs space, and all later ones, with ENOSPC
//   memory                  N pieces of 64 KiB are all that it gets beyond what it has at the start
//   kill                    SIGKILL just before any of these calls
//   torn                    SIGKILL within a write: between two pages of the file, as the kernel
//                           lets it happen; before the write if it is within one
//   slow                    all writes and syncs take N milliseconds more
//   clock                   from the Nth look on, the time of day is of a day before
// HEADROOM_FAULT_UNDER=DIR    files and folders below it alone count
// HEADROOM_FAULT_COUNTS=FILE  at the end, a line "KIND CALLS" for each kind is added to it
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

enum Kind { kWrite, kSync, kOpen, kRename, kMemory, kFull, kKill, kTorn, kSlow, kClock, kKinds };
constexpr const char* kNames[kKinds] = {"write", "sync", "open", "rename", "memory",
                                        "full",  "kill", "torn", "slow",   "clock"};
constexpr long kPiece = 64;  // KiB
constexpr int kMostFiles = 4096;

std::atomic<long> calls[kKinds];
std::atomic<bool> watched[kMostFiles];
Kind wanted = kKinds;
long at = 0;
char under[PATH_MAX];
size_t under_length = 0;
std::atomic<bool> ready{false};
long space_at_start = 0;

template <class F>
F* next(const char* name) {
    return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

/// Counts a call and says whether it is to fail.
bool fails(Kind kind, bool from_then_on) {
    if (!ready) return false;
    const long call = ++calls[kind];
    return kind == wanted && (from_then_on ? call >= at : call == at);
}

void killed_here() {
    if (fails(kKill, false)) ::kill(::getpid(), SIGKILL);
}

void slowed_here() {
    if (!ready) return;
    ++calls[kSlow];
    if (wanted == kSlow) ::usleep(static_cast<useconds_t>(at) * 1000);
}

/// By how many seconds the time of day is wrong now.
time_t turned_back() {
    constexpr time_t kDay = 24 * 60 * 60;
    return fails(kClock, true) ? kDay : 0;
}

bool is_under(int folder, const char* path) {
    if (!ready || under_length == 0 || path == nullptr) return false;
    if (path[0] == '/') return std::strncmp(path, under, under_length) == 0;
    char where[PATH_MAX];
    if (folder == AT_FDCWD) {
        if (::getcwd(where, sizeof where) == nullptr) return false;
    } else {
        char link[64] = "/proc/self/fd/";
        char* end = link + std::strlen(link);
        char digits[16];
        int n = 0;
        for (int f = folder; n == 0 || f > 0; f /= 10)
            digits[n++] = static_cast<char>('0' + f % 10);
        while (n > 0) *end++ = digits[--n];
        *end = 0;
        const ssize_t length = ::readlink(link, where, sizeof where - 1);
        if (length < 0) return false;
        where[length] = 0;
    }
    const size_t length = std::strlen(where);
    if (length + 1 + std::strlen(path) >= sizeof where) return false;
    where[length] = '/';
    std::strcpy(where + length + 1, path);
    return std::strncmp(where, under, under_length) == 0;
}

bool is_watched(int fd) {
    return fd >= 0 && fd < kMostFiles && watched[fd];
}

void watch(int fd, bool yes) {
    if (fd >= 0 && fd < kMostFiles) watched[fd] = yes;
}

template <class Open>
int opened(int folder, const char* path, int flags, Open&& open) {
    const bool counts = (flags & O_ACCMODE) != O_RDONLY && is_under(folder, path);
    if (counts) {
        killed_here();
        if (fails(kOpen, true)) {
            errno = EACCES;
            return -1;
        }
    }
    const int fd = open();
    watch(fd, counts);
    return fd;
}

/// A full disk still takes what overwrites bytes, or goes where space was reserved.
bool needs_space(int fd, off_t end) {
    struct stat status {};
    return ::fstat(fd, &status) != 0 ||
           end > std::max<off_t>(status.st_size, status.st_blocks * 512);
}

/// Kills after the whole pages in the first half of the write, or after the first page in it, if
/// the write goes on beyond that.
template <class Write>
void torn_here(off_t start, size_t size, Write&& write) {
    if (!fails(kTorn, false)) return;
    constexpr off_t kPage = 4096;
    off_t cut = (start + static_cast<off_t>(size / 2)) / kPage * kPage;
    if (cut <= start) cut += kPage;
    if (cut < start + static_cast<off_t>(size)) write(static_cast<size_t>(cut - start));
    ::kill(::getpid(), SIGKILL);
}

/// `write(bytes)` writes so many of the `size` bytes, which begin at `start` of the file.
template <class Write>
ssize_t written(int fd, off_t start, size_t size, Write&& write) {
    if (!is_watched(fd)) return write(size);
    killed_here();
    slowed_here();
    torn_here(start, size, write);
    if (fails(kWrite, false)) {
        errno = EIO;
        return -1;
    }
    const off_t end = start + static_cast<off_t>(size);
    if (!needs_space(fd, end) || !fails(kFull, true)) return write(size);
    if (calls[kFull] == at) {
        const ssize_t half = write(size / 2);
        if (half > 0) return half;
    }
    errno = ENOSPC;
    return -1;
}

off_t place_of(int fd) {
    return ::lseek(fd, 0, SEEK_CUR);
}

template <class Reserve>
int reserved(int fd, off_t end, int refused, Reserve&& reserve) {
    if (!is_watched(fd) || !needs_space(fd, end) || !fails(kFull, true)) return reserve();
    errno = ENOSPC;
    return refused;
}

template <class Sync>
int synced(int fd, Sync&& sync) {
    if (!is_watched(fd)) return sync();
    killed_here();
    slowed_here();
    if (!fails(kSync, false)) return sync();
    errno = EIO;
    return -1;
}

template <class Rename>
int renamed(int folder, const char* path, Rename&& rename) {
    if (!is_under(folder, path)) return rename();
    killed_here();
    if (!fails(kRename, false)) return rename();
    errno = EACCES;
    return -1;
}

/// Address space in pieces: what the program has (`VmSize`), or has had at most (`VmPeak`).
long address_space(const char* key) {
    char text[4096];
    const int fd = next<int(const char*, int, ...)>("open")("/proc/self/status", O_RDONLY);
    const ssize_t size = fd < 0 ? -1 : ::read(fd, text, sizeof text - 1);
    if (fd >= 0) ::close(fd);
    if (size < 0) return 0;
    text[size] = 0;
    const char* found = std::strstr(text, key);
    return found == nullptr ? 0 : std::strtol(found + std::strlen(key) + 1, nullptr, 10) / kPiece;
}

mode_t mode_of(int flags, va_list list) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
}

__attribute__((constructor)) void read_orders() {
    if (const char* folder = std::getenv("HEADROOM_FAULT_UNDER")) {
        under_length = std::strlen(folder);
        std::memcpy(under, folder, under_length + 1);
    }
    if (const char* order = std::getenv("HEADROOM_FAULT"))
        for (int kind = 0; kind < kKinds; ++kind) {
            const size_t length = std::strlen(kNames[kind]);
            if (std::strncmp(order, kNames[kind], length) != 0 || order[length] != ':') continue;
            wanted = static_cast<Kind>(kind);
            at = std::strtol(order + length + 1, nullptr, 10);
        }
    space_at_start = address_space("VmSize:");
    if (wanted == kMemory) {
        const auto most = static_cast<rlim_t>(space_at_start + at) * kPiece * 1024;
        const rlimit limit{most, most};
        ::setrlimit(RLIMIT_AS, &limit);
    }
    ready = true;
}

__attribute__((destructor)) void write_counts() {
    ready = false;
    const char* path = std::getenv("HEADROOM_FAULT_COUNTS");
    if (path == nullptr) return;
    calls[kMemory] = address_space("VmPeak:") - space_at_start;
    const int fd =
        next<int(const char*, int, ...)>("open")(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    for (int kind = 0; kind < kKinds; ++kind)
        ::dprintf(fd, "%s %ld\n", kNames[kind], calls[kind].load());
    ::close(fd);
}

}  // namespace

extern "C" {

#define HEADROOM_OPEN(NAME)                                                            \
    int NAME(const char* path, int flags, ...) {                                       \
        static const auto real = next<int(const char*, int, ...)>(#NAME);              \
        va_list list;                                                                  \
        va_start(list, flags);                                                         \
        const mode_t mode = mode_of(flags, list);                                      \
        va_end(list);                                                                  \
        return opened(AT_FDCWD, path, flags, [&] { return real(path, flags, mode); }); \
    }
#define HEADROOM_OPENAT(NAME)                                                                \
    int NAME(int folder, const char* path, int flags, ...) {                                 \
        static const auto real = next<int(int, const char*, int, ...)>(#NAME);               \
        va_list list;                                                                        \
        va_start(list, flags);                                                               \
        const mode_t mode = mode_of(flags, list);                                            \
        va_end(list);                                                                        \
        return opened(folder, path, flags, [&] { return real(folder, path, flags, mode); }); \
    }
HEADROOM_OPEN(open)
HEADROOM_OPEN(open64)
HEADROOM_OPENAT(openat)
HEADROOM_OPENAT(openat64)

int close(int fd) {
    static const auto real = next<int(int)>("close");
    watch(fd, false);
    return real(fd);
}

ssize_t write(int fd, const void* data, size_t size) {
    static const auto real = next<ssize_t(int, const void*, size_t)>("write");
    const off_t start = is_watched(fd) ? place_of(fd) : 0;
    return written(fd, start, size, [&](size_t bytes) { return real(fd, data, bytes); });
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t place) {
    static const auto real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
    return written(fd, place, size, [&](size_t bytes) { return real(fd, data, bytes, place); });
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t place) {
    static const auto real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
    return written(fd, place, size, [&](size_t bytes) { return real(fd, data, bytes, place); });
}
ssize_t writev(int fd, const iovec* parts, int count) {
    static const auto real = next<ssize_t(int, const iovec*, int)>("writev");
    const off_t start = is_watched(fd) ? place_of(fd) : 0;
    size_t size = 0;
    for (int i = 0; i < count; ++i) size += parts[i].iov_len;
    return written(fd, start, size, [&](size_t bytes) {
        if (bytes == size) return real(fd, parts, count);
        iovec first = parts[0];
        first.iov_len = std::min(first.iov_len, bytes);
        return real(fd, &first, 1);
    });
}

int fallocate(int fd, int mode, off_t place, off_t size) {
    static const auto real = next<int(int, int, off_t, off_t)>("fallocate");
    return reserved(fd, place + size, -1, [&] { return real(fd, mode, place, size); });
}
int fallocate64(int fd, int mode, off64_t place, off64_t size) {
    static const auto real = next<int(int, int, off64_t, off64_t)>("fallocate64");
    return reserved(fd, place + size, -1, [&] { return real(fd, mode, place, size); });
}
int posix_fallocate(int fd, off_t place, off_t size) {
    static const auto real = next<int(int, off_t, off_t)>("posix_fallocate");
    return reserved(fd, place + size, ENOSPC, [&] { return real(fd, place, size); });
}
int posix_fallocate64(int fd, off64_t place, off64_t size) {
    static const auto real = next<int(int, off64_t, off64_t)>("posix_fallocate64");
    return reserved(fd, place + size, ENOSPC, [&] { return real(fd, place, size); });
}

int fsync(int fd) {
    static const auto real = next<int(int)>("fsync");
    return synced(fd, [&] { return real(fd); });
}
int fdatasync(int fd) {
    static const auto real = next<int(int)>("fdatasync");
    return synced(fd, [&] { return real(fd); });
}

int rename(const char* from, const char* to) {
    static const auto real = next<int(const char*, const char*)>("rename");
    return renamed(AT_FDCWD, to, [&] { return real(from, to); });
}
int renameat(int a, const char* from, int b, const char* to) {
    static const auto real = next<int(int, const char*, int, const char*)>("renameat");
    return renamed(b, to, [&] { return real(a, from, b, to); });
}
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) {
    static const auto real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
    return renamed(b, to, [&] { return real(a, from, b, to, flags); });
}

int clock_gettime(clockid_t clock, timespec* now) {
    static const auto real = next<int(clockid_t, timespec*)>("clock_gettime");
    const int result = real(clock, now);
    if (clock == CLOCK_REALTIME) now->tv_sec -= turned_back();
    return result;
}
int gettimeofday(timeval* now, void* zone) {
    static const auto real = next<int(timeval*, void*)>("gettimeofday");
    const int result = real(now, zone);
    now->tv_sec -= turned_back();
    return result;
}
time_t time(time_t* now) {
    static const auto real = next<time_t(time_t*)>("time");
    const time_t result = real(nullptr) - turned_back();
    if (now != nullptr) *now = result;
    return result;
}

}  // extern "C"
