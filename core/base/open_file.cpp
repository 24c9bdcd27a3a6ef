#include "core/base/open_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

bool is_regular(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

FileDescriptor open_for_reading(const fs::path& path) {
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!file)
        throw UserError(fmt::format("cannot open {}: {}", path.string(), strerror(errno)),
                        "check the path");
    if (!is_regular(file))
        throw UserError(fmt::format("{} is not a regular file", path.string()), "name a file");
    return file;
}

FileDescriptor open_for_writing(const fs::path& path, OpenForWriting how) {
    const int mode = how == OpenForWriting::kAppend ? O_WRONLY | O_APPEND : O_RDWR;
    // O_NONBLOCK: a named pipe without a reader is refused (ENXIO) in place of waited for.
    FileDescriptor file(
        ::open(path.c_str(), mode | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    if (!file && errno == ELOOP)
        throw EnvironmentError(fmt::format("{} is a link, which may lead anywhere", path.string()),
                               "remove it");
    if (!file && errno != ENXIO)
        throw EnvironmentError(
            fmt::format("{} cannot be written: {}", path.string(), strerror(errno)),
            "is the folder writable and the disk not full?");
    if (!file || !is_regular(file))
        throw EnvironmentError(fmt::format("{} is not a regular file", path.string()), "remove it");
    return file;
}

void require_replaceable(const fs::path& path) {
    std::error_code ignored;
    const fs::file_status there = fs::symlink_status(path, ignored);
    if (!fs::exists(there) || fs::is_regular_file(there)) return;
    if (fs::is_symlink(there))
        throw UserError(fmt::format("{} is a link, not a file", path.string()),
                        "name the file where it leads, or remove the link");
    throw UserError(fmt::format("{} is {}, not a file", path.string(),
                                fs::is_directory(there) ? "a folder" : "something else"),
                    "name a file");
}

fs::path fresh_temporary(const fs::path& path) {
    static std::atomic<uint64_t> counter{0};
    // A process of the same number may have died here, or live on another machine.
    for (;;) {
        fs::path name =
            fmt::format("{}.{}.{}.tmp", path.string(), ::getpid(), counter.fetch_add(1));
        struct stat status {};
        if (::lstat(name.c_str(), &status) != 0) return name;
    }
}

FileDescriptor hold_temporary(int fd) {
    FileDescriptor held(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
    if (!held)
        throw EnvironmentError(fmt::format("a new file cannot be held: {}", strerror(errno)),
                               "raise the limit on open files (ulimit -n)");
    // Whoever clears up has it for a moment.
    while (::flock(held.get(), LOCK_EX) != 0 && errno == EINTR) continue;
    struct stat status {};
    if (::fstat(held.get(), &status) == 0 && status.st_nlink == 0) return FileDescriptor();
    return held;
}

bool is_inside(const fs::path& root, const fs::path& folder) {
    std::error_code error;
    const fs::path whole = fs::canonical(root, error);
    if (error) return false;
    const fs::path part = fs::weakly_canonical(fs::absolute(folder), error);
    return !error &&
           std::mismatch(whole.begin(), whole.end(), part.begin(), part.end()).first == whole.end();
}

void require_inside(const fs::path& root, const fs::path& folder) {
    if (is_inside(root, folder)) return;
    throw UserError(
        fmt::format("{} is a link that leads out of {}", folder.string(), root.string()),
        "put the folder itself there, or name the place that the link leads to");
}

}  // namespace headroom
