#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace headroom {

/// Keys and a number for each, to find all keys that a text starts with.
class ByteTrie {
  public:
    ByteTrie() = default;
    /// REQUIRES: keys that are not empty, each of them once.
    explicit ByteTrie(std::vector<std::pair<std::string_view, int32_t>> keys);

    /// Calls `found(length, value)` for every key that `text` starts with, shortest first.
    template <class Found>
    void prefixes(std::string_view text, Found found) const {
        int32_t node = nodes_.empty() ? -1 : 0;
        for (size_t length = 1; length <= text.size() && node >= 0; ++length) {
            node = child(node, static_cast<unsigned char>(text[length - 1]));
            if (node >= 0 && nodes_[static_cast<size_t>(node)].value >= 0)
                found(length, nodes_[static_cast<size_t>(node)].value);
        }
    }

    /// Length of the longest key that `text` starts with, and its value; {0, -1} if there is none.
    std::pair<size_t, int32_t> longest(std::string_view text) const {
        std::pair<size_t, int32_t> best{0, -1};
        prefixes(text, [&](size_t length, int32_t value) { best = {length, value}; });
        return best;
    }

    bool empty() const { return nodes_.empty(); }

  private:
    struct Node {
        int32_t first_child = 0, children = 0, value = -1;
    };

    int32_t child(int32_t node, unsigned char label) const;

    std::vector<Node> nodes_;            ///< children of one node side by side, by label
    std::vector<unsigned char> labels_;  ///< of each node
    std::array<int32_t, 256> top_{};     ///< children of the root by label, -1 for none
};

}  // namespace headroom
