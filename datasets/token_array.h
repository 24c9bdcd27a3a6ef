#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace headroom {

/// A long row of token ids, stored in one, two, four or eight little-endian bytes each; in memory
/// or in a mapped file. Copies and slices share the storage.
class TokenArray {
  public:
    TokenArray() = default;
    /// One token per byte.
    static TokenArray from_bytes(std::string bytes);
    /// Stores ids in the narrowest width that holds them. REQUIRES: ids in [0, 2^31).
    static TokenArray from_ids(const std::vector<int32_t>& ids);
    /// `count` ids of `width` bytes at `data`, which `owner` keeps alive.
    static TokenArray view(std::shared_ptr<const void> owner, const unsigned char* data, int width,
                           int64_t count);

    int64_t size() const { return count_; }
    /// Copies the ids [first, first + out.size()). Ids beyond int32 read as -1.
    void read(int64_t first, std::span<int32_t> out) const;
    TokenArray slice(int64_t first, int64_t count) const;
    /// Largest id, or -1 if there is none; reads everything once. Ids beyond int32 count as 2^31.
    int64_t largest_id() const;

  private:
    std::shared_ptr<const void> owner_;
    const unsigned char* data_ = nullptr;
    int width_ = 1;
    int64_t count_ = 0;
};

}  // namespace headroom
