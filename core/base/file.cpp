#include "core/base/file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/open_file.h"

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

bool is_number(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The name without what fresh_temporary() appends, "" if it did not.
std::string_view without_temporary_ending(std::string_view name) {
    if (!name.ends_with(".tmp")) return {};
    name.remove_suffix(4);
    for (int i = 0; i < 2; ++i) {
        const size_t dot = name.rfind('.');
        if (dot == std::string_view::npos || !is_number(name.substr(dot + 1))) return {};
        name = name.substr(0, dot);
    }
    return name;
}

/// Nothing where a writer holds the file (hold_temporary), or that cannot be told.
void remove_unless_held(const std::filesystem::path& temporary) noexcept {
    try {
        const FileDescriptor file = open_for_reading(temporary);
        // A shared lock needs no right to write. It is kept until the file is gone.
        if (::flock(file.get(), LOCK_SH | LOCK_NB) != 0) return;
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
    } catch (const std::exception&) {
        return;
    }
}

[[noreturn]] void fail_reading(const std::filesystem::path& path) {
    throw EnvironmentError(fmt::format("cannot read {}: {}", path.string(), strerror(errno)),
                           "check the disk and try again");
}

uint64_t size_of(const FileDescriptor& fd, const std::filesystem::path& path) {
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) fail_reading(path);
    return static_cast<uint64_t>(status.st_size);
}

/// Fewer bytes if the file was shortened meanwhile.
std::string read_from(const FileDescriptor& fd, uint64_t begin, uint64_t bytes,
                      const std::filesystem::path& path) {
    std::string text(bytes, '\0');
    size_t filled = 0;
    while (filled < text.size()) {
        const ssize_t got = ::pread(fd.get(), text.data() + filled, text.size() - filled,
                                    static_cast<off_t>(begin + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_reading(path);
        if (got == 0) break;
        filled += static_cast<size_t>(got);
    }
    text.resize(filled);
    return text;
}

}  // namespace

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> entries;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        entries.push_back(entry->path());
    std::sort(entries.begin(), entries.end());
    return entries;
}

AtomicFile::AtomicFile(std::filesystem::path path, uint64_t expected_bytes)
    : path_(std::move(path)), temporary_(fresh_temporary(path_)) {
    require_replaceable(path_);
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
    commit_unsynced();
    sync_folder(path_.parent_path());
}

void AtomicFile::commit_unsynced() {
    CHECK(static_cast<bool>(file_), "commit called twice");
    if (::ftruncate(file_.get(), static_cast<off_t>(written_)) != 0) fail("write", errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("rename into place", errno);
    file_.reset();
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
    const FileDescriptor fd = open_for_reading(path);
    const uint64_t bytes = size_of(fd, path);
    if (bytes > max_bytes)
        throw UserError(fmt::format("{} has {} bytes, more than the {} that are accepted",
                                    path.string(), bytes, max_bytes),
                        "name a smaller file");
    return read_from(fd, 0, bytes, path);
}

void check_not_source(const std::filesystem::path& out, const std::filesystem::path& source) {
    std::error_code ignored;
    if (std::filesystem::equivalent(out, source, ignored))
        throw UserError(fmt::format("{} is the source itself", out.string()), "name another file");
}

std::string last_line_of(const std::filesystem::path& path) noexcept {
    constexpr uint64_t kMost = 4000;
    try {
        const FileDescriptor fd = open_for_reading(path);
        const uint64_t bytes = size_of(fd, path), begin = bytes - std::min(bytes, kMost);
        std::string tail = read_from(fd, begin, bytes - begin, path);
        tail.erase(tail.find_last_not_of("\n\r") + 1);
        return tail.substr(tail.find_last_of("\n\r") + 1);
    } catch (const std::exception&) {
        return "";
    }
}

void remove_stale_temporaries_of(const std::filesystem::path& path) {
    const std::string ours = path.filename().string();
    remove_stale_temporaries(path.parent_path(),
                             [&](std::string_view name) { return name == ours; });
}

void remove_stale_temporaries(const std::filesystem::path& folder,
                              const std::function<bool(std::string_view name)>& ours) {
    std::error_code ignored;
    for (const std::filesystem::path& entry : entries_of(folder.empty() ? "." : folder)) {
        const std::string file = entry.filename().string();
        const std::string_view of = without_temporary_ending(file);
        if (!of.empty() && ours(of) &&
            std::filesystem::symlink_status(entry, ignored).type() ==
                std::filesystem::file_type::regular)
            remove_unless_held(entry);
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

void make_folder_inside(const std::filesystem::path& root, const std::filesystem::path& folder) {
    require_inside(root, folder);
    make_folder(folder);
}

void move_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::error_code error;
    std::filesystem::rename(from, to, error);
    if (error)
        throw EnvironmentError(fmt::format("{} could not be moved to {}: {}", from.string(),
                                           to.string(), error.message()),
                               "check that both lie on one disk and may be written");
}

}  // namespace headroom
