#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace headroom {

/// 128 bits that stand for a text: two of 10^9 different texts share them once in 10^20 times.
using TextKey = std::array<uint64_t, 2>;

TextKey key_of(std::string_view text);

/// A set of keys, at 22 to 43 bytes for each.
class SeenTexts {
  public:
    /// Whether the key is new; it is in the set then.
    bool add(const TextKey& key);
    size_t size() const { return size_; }

  private:
    void grow();
    TextKey& place_of(const TextKey& key);

    std::vector<TextKey> slots_;  ///< open addressing; a power of two; {0, 0} is free
    size_t size_ = 0;
};

}  // namespace headroom
