#include "core/study/folder_lock.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include "core/base/error.h"

namespace headroom {

FileDescriptor lock_folder(const std::filesystem::path& folder) {
    FileDescriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock || ::flock(lock.get(), LOCK_EX) != 0)
        throw EnvironmentError(
            fmt::format("{} cannot be locked: {}", folder.string(), std::strerror(errno)),
            "check the folder and that it is yours");
    return lock;
}

}  // namespace headroom
