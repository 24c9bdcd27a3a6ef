#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace headroom {

/// A regular file mapped read-only. Move-only; const members may be called from any thread.
/// The size is fixed when it is opened; whoever shortens the file meanwhile takes the pages away
/// under the reader (guard_mappings), so programs must replace files by renaming, never rewrite
/// them in place.
class MmapFile {
  public:
    /// UserError if the path is missing or not a regular file, EnvironmentError if mapping fails.
    /// An empty file is allowed: bytes() is then empty.
    static MmapFile open(const std::filesystem::path& path);

    MmapFile() = default;
    ~MmapFile();
    MmapFile(MmapFile&& other) noexcept;
    MmapFile& operator=(MmapFile&& other) noexcept;

    std::span<const std::byte> bytes() const { return {data_, size_}; }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
    const std::byte* data_ = nullptr;
    size_t size_ = 0;
};

/// From now on a file that is shortened while it is mapped, or whose disk fails, ends the program
/// with status 1 and a line that names the file, not by a mere signal.
void guard_mappings();

}  // namespace headroom
