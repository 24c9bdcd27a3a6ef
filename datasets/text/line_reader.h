#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace headroom {

class PackedStream;

/// The lines of a text file, plain or compressed with gzip or Zstandard, one at a time. One thread
/// at a time.
class LineReader {
  public:
    /// UserError if the file is missing or not a plain file.
    explicit LineReader(const std::string& path);
    ~LineReader();

    /// The next line without its end; false at the end of the file. UserError for a line longer
    /// than 256 MiB and for compressed data that are damaged or cut off.
    bool next(std::string& line);
    /// Uncompressed bytes before the next line.
    int64_t offset() const { return offset_; }
    /// Goes to an offset that offset() gave.
    void seek(int64_t offset);

  private:
    bool fill();

    std::string path_;
    std::unique_ptr<PackedStream> stream_;
    std::string buffer_;
    size_t at_ = 0;  ///< in buffer_
    int64_t offset_ = 0;
};

}  // namespace headroom
