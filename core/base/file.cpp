#include "core/base/file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/error.h"

namespace headroom {
namespace {

std::string advice_for(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return "free some space there, or write to another disk";
        case EFBIG:
            return "raise the limit on file sizes (ulimit -f)";
        case EACCES:
        case EPERM:
        case EROFS:
            return "choose a folder that may be written";
        case ENOENT:
            return "create its folder first";
        default:
            return "check the disk and try again";
    }
}

/// Unique among living processes and within this one, and recognisable as a leftover.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
    static std::atomic<uint64_t> counter{0};
    return fmt::format("{}.{}.{}.tmp", path.string(), ::getpid(), counter.fetch_add(1));
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path, uint64_t expected_bytes)
    : path_(std::move(path)), temporary_(temporary_name(path_)) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    file_ = FileDescriptor(::open(temporary_.c_str(), kFlags, 0666));
    if (!file_) fail("create", errno);
    if (expected_bytes == 0) return;
    const int error = reserve_space(file_.get(), 0, expected_bytes);
    if (error == 0) return;
    ::unlink(temporary_.c_str());
    fail("write", error);
}

AtomicFile::~AtomicFile() {
    if (file_) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    CHECK(static_cast<bool>(file_), "write after commit");
    while (!bytes.empty()) {
        const ssize_t done = ::write(file_.get(), bytes.data(), bytes.size());
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail("write", errno);
        bytes = bytes.subspan(static_cast<size_t>(done));
        written_ += static_cast<uint64_t>(done);
    }
}

void AtomicFile::write(std::string_view text) {
    write(std::as_bytes(std::span(text.data(), text.size())));
}

void AtomicFile::commit() {
    CHECK(static_cast<bool>(file_), "commit called twice");
    // Gives back what was reserved beyond the end.
    if (::ftruncate(file_.get(), static_cast<off_t>(written_)) != 0) fail("write", errno);
    if (::fsync(file_.get()) != 0) fail("write", errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename into place", errno);
    file_.reset();
    sync_folder(path_.parent_path());
}

void AtomicFile::fail(const char* doing, int error) const {
    throw EnvironmentError(fmt::format("cannot {} {}: {}", doing, path_.string(), strerror(error)),
                           advice_for(error));
}

void write_file_atomically(const std::filesystem::path& path, std::string_view content) {
    AtomicFile file(path, content.size());
    file.write(content);
    file.commit();
}

std::string read_text(const std::filesystem::path& path, uint64_t max_bytes) {
    // O_NONBLOCK: opening a named pipe must not wait for its writer.
    const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd)
        throw UserError(fmt::format("cannot open {}: {}", path.string(), strerror(errno)),
                        "check the path");
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))
        throw UserError(fmt::format("{} is not a regular file", path.string()), "name a file");
    if (static_cast<uint64_t>(status.st_size) > max_bytes)
        throw UserError(fmt::format("{} has {} bytes, more than the {} that are accepted",
                                    path.string(), status.st_size, max_bytes),
                        "name a smaller file");
    std::string text(static_cast<size_t>(status.st_size), '\0');
    size_t filled = 0;
    while (filled < text.size()) {
        const ssize_t got = ::read(fd.get(), text.data() + filled, text.size() - filled);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            throw EnvironmentError(
                fmt::format("cannot read {}: {}", path.string(), strerror(errno)),
                "check the disk and try again");
        if (got == 0) break;  // shortened meanwhile
        filled += static_cast<size_t>(got);
    }
    text.resize(filled);
    return text;
}

void remove_stale_temporaries(const std::filesystem::path& folder) noexcept {
    std::error_code error;
    std::filesystem::directory_iterator entry(folder, error), end;
    while (!error && entry != end) {
        std::error_code ignored;
        if (entry->path().extension() == ".tmp") std::filesystem::remove(entry->path(), ignored);
        entry.increment(error);
    }
}

int reserve_space(int fd, uint64_t offset, uint64_t bytes) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        offset + bytes > limit.rlim_cur)
        return EFBIG;
    if (::fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                    static_cast<off_t>(bytes)) == 0)
        return 0;
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) return errno;
    struct statvfs space {};
    const bool known = ::fstatvfs(fd, &space) == 0 && space.f_bavail != 0;
    return known && bytes / space.f_frsize > space.f_bavail ? ENOSPC : 0;
}

void sync_folder(const std::filesystem::path& folder) noexcept {
    const char* name = folder.empty() ? "." : folder.c_str();
    const FileDescriptor fd(::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd) ::fsync(fd.get());
}

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder, error))
        throw EnvironmentError(
            fmt::format("cannot create the folder {}: {}", folder.string(),
                        error ? error.message() : "a file of that name is in the way"),
            "choose another folder");
}

}  // namespace headroom
