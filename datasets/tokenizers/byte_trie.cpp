#include "datasets/tokenizers/byte_trie.h"

#include <algorithm>
#include <string_view>

namespace headroom {

ByteTrie::ByteTrie(std::vector<std::pair<std::string_view, int32_t>> keys) {
    top_.fill(-1);
    if (keys.empty()) return;
    // Unsigned bytes ascending, as string_view compares them.
    std::sort(keys.begin(), keys.end());
    struct Range {
        size_t first, last, depth;
    };
    std::vector<Range> ranges{{0, keys.size(), 0}};  // of each node, in the order of nodes_
    nodes_.push_back({});
    labels_.push_back(0);
    for (size_t node = 0; node < nodes_.size(); ++node) {
        auto [first, last, depth] = ranges[node];
        if (keys[first].first.size() == depth) nodes_[node].value = keys[first++].second;
        nodes_[node].first_child = static_cast<int32_t>(nodes_.size());
        while (first < last) {
            const char label = keys[first].first[depth];
            size_t end = first;
            while (end < last && keys[end].first[depth] == label) ++end;
            if (node == 0)
                top_[static_cast<unsigned char>(label)] = static_cast<int32_t>(nodes_.size());
            nodes_.push_back({});
            labels_.push_back(static_cast<unsigned char>(label));
            ranges.push_back({first, end, depth + 1});
            ++nodes_[node].children;
            first = end;
        }
    }
}

int32_t ByteTrie::child(int32_t node, unsigned char label) const {
    if (node == 0) return top_[label];
    const Node& parent = nodes_[static_cast<size_t>(node)];
    const auto first = labels_.begin() + parent.first_child, last = first + parent.children;
    const auto found = std::lower_bound(first, last, label);
    return found == last || *found != label ? -1 : static_cast<int32_t>(found - labels_.begin());
}

}  // namespace headroom
