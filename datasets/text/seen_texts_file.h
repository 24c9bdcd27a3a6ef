#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "core/base/file_descriptor.h"
#include "datasets/text/seen_texts.h"

namespace headroom {

/// The keys of documents in their order, 16 bytes each, on the disk: what a deduplication that was
/// killed goes on from.
class SeenTextsFile {
  public:
    /// EnvironmentError naming the file if it cannot be written.
    explicit SeenTextsFile(std::filesystem::path path);

    /// Adds the first `count` keys to `seen`; false if it has fewer.
    bool read(int64_t count, SeenTexts& seen) const;
    /// Writes keys from place `first` on and waits until they are on the disk.
    void write(int64_t first, std::span<const TextKey> keys) const;

  private:
    std::filesystem::path path_;
    FileDescriptor file_;
};

}  // namespace headroom
