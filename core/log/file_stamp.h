#pragma once

#include <ctime>

#include <sys/stat.h>

namespace headroom {

/// Tells files, and contents of one file, from each other without reading them.
struct FileStamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t bytes = -1;
    timespec changed{};

    bool same_file(const FileStamp& o) const { return device == o.device && inode == o.inode; }
    bool same_content(const FileStamp& o) const {
        return same_file(o) && bytes == o.bytes && changed.tv_sec == o.changed.tv_sec &&
               changed.tv_nsec == o.changed.tv_nsec;
    }
    /// Old enough that a later write cannot carry the same time.
    bool is_settled() const { return std::time(nullptr) - changed.tv_sec > 1; }
};

inline FileStamp stamp_of(const struct stat& status) {
    return {status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

}  // namespace headroom
