#include "core/base/mmap_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/open_file.h"

namespace headroom {

MmapFile MmapFile::open(const std::filesystem::path& path) {
    const FileDescriptor fd = open_for_reading(path);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0)
        throw EnvironmentError(fmt::format("cannot read {}: {}", path.string(), strerror(errno)),
                               "check the disk and try again");
    MmapFile file;
    file.path_ = path;
    if (status.st_size == 0) return file;
    const auto size = static_cast<size_t>(status.st_size);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (data == MAP_FAILED)
        throw EnvironmentError(fmt::format("cannot map {}: {}", path.string(), strerror(errno)),
                               "free some memory and try again");
    file.data_ = static_cast<const std::byte*>(data);
    file.size_ = size;
    return file;
}

MmapFile::~MmapFile() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MmapFile::MmapFile(MmapFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MmapFile& MmapFile::operator=(MmapFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

}  // namespace headroom
