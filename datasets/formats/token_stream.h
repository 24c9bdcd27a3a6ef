#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/base/file_descriptor.h"
#include "datasets/formats/token_file.h"

namespace headroom {

/// Where a token file that is being written stands: enough to go on after a kill.
struct TokenStreamState {
    int64_t tokens = 0;
    uint64_t checksum = 0;  ///< FNV-1a over the bytes of the ids, kHashSeed for none

    bool operator==(const TokenStreamState&) const = default;
};

/// Writes a token file piece by piece into PATH.partial, in bounded memory. finish() gives it its
/// header and its name.
class TokenStream {
  public:
    /// Goes on behind `state` where there is such a file, dropping what stands behind; begins anew
    /// for an empty state. UserError if the file is shorter than that, if another process writes
    /// it, and for a PATH that is no regular file.
    TokenStream(std::filesystem::path path, TokenFormat format, const TokenStreamState& state);

    /// UserError for an id that the format cannot hold.
    void append(std::span<const int32_t> ids);
    /// Waits until all of it is on the disk; what it returns can be gone on from.
    TokenStreamState sync();
    /// Completes the file and renames it to PATH. REQUIRES: called once, last.
    void finish();

    static std::filesystem::path partial(const std::filesystem::path& path);

  private:
    void write(std::span<const char> bytes, uint64_t offset) const;
    void flush();

    std::filesystem::path path_;
    TokenFormat format_;
    TokenStreamState state_;
    FileDescriptor file_;
    std::vector<char> waiting_;
};

}  // namespace headroom
