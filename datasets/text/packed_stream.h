#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace headroom {

/// The bytes of a file as they were before it was compressed with gzip or Zstandard (also several
/// members or frames in a row), the rows of a Parquet file as JSON Lines, or the bytes as they are.
/// Which it is, its first bytes say and not its name.
/// One thread at a time.
class PackedStream {
  public:
    virtual ~PackedStream() = default;

    /// Fills `out` from the start and returns how many bytes there were; 0 at the end. UserError
    /// for compressed data that are damaged or cut off.
    virtual size_t read(std::span<char> out) = 0;
    /// Goes to an uncompressed byte, which takes as long as reading up to there. UserError if there
    /// is none.
    virtual void seek(int64_t offset) = 0;
};

/// UserError if the file is missing or not a plain file.
std::unique_ptr<PackedStream> open_packed(const std::string& path);

}  // namespace headroom
