#include "core/study/study_lock.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/open_file.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

std::filesystem::path lock_path(const std::filesystem::path& study_dir) {
    return StudyFolder{study_dir}.queue_lock();
}

/// None where there is no lock file, or something else in its place.
FileDescriptor open_lock(const std::filesystem::path& study_dir) {
    try {
        return open_for_reading(lock_path(study_dir));
    } catch (const UserError&) {
        return FileDescriptor();
    }
}

/// Open-file-description locks: asking who holds one does not take it, as flock() would.
struct flock whole_file() {
    struct flock region = {};
    region.l_type = F_WRLCK;
    region.l_whence = SEEK_SET;
    return region;
}

}  // namespace

std::optional<StudyLock> StudyLock::try_acquire(const std::filesystem::path& study_dir) {
    const std::string path = lock_path(study_dir).string();
    FileDescriptor file = open_for_writing(path, OpenForWriting::kInPlace);
    struct flock whole = whole_file();
    if (fcntl(file.get(), F_OFD_SETLK, &whole) != 0) {
        if (errno == EAGAIN || errno == EACCES) return std::nullopt;
        throw EnvironmentError(path + " cannot be locked: " + std::strerror(errno),
                               "put the study on a local disk");
    }
    const std::string pid = std::to_string(getpid()) + "\n";
    const bool written =
        ftruncate(file.get(), 0) == 0 &&
        pwrite(file.get(), pid.data(), pid.size(), 0) == static_cast<ssize_t>(pid.size());
    if (!written)
        throw EnvironmentError(path + " cannot be written: " + std::strerror(errno),
                               "free some space on its disk");
    return StudyLock(std::move(file));
}

std::optional<pid_t> StudyLock::holder(const std::filesystem::path& study_dir) {
    const FileDescriptor file = open_lock(study_dir);
    struct flock whole = whole_file();
    if (!file || fcntl(file.get(), F_OFD_GETLK, &whole) != 0 || whole.l_type == F_UNLCK)
        return std::nullopt;
    char text[32] = {};
    if (read(file.get(), text, sizeof text - 1) <= 0) return std::nullopt;
    return static_cast<pid_t>(std::strtol(text, nullptr, 10));
}

}  // namespace headroom
