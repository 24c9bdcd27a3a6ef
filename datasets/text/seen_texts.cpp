#include "datasets/text/seen_texts.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace headroom {
namespace {

constexpr TextKey kFree{0, 0};

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014), a bijection.
uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

}  // namespace

TextKey key_of(std::string_view text) {
    TextKey key{0x9e3779b97f4a7c15u, 0x6a09e667f3bcc909u};
    const uint64_t length = text.size();
    while (!text.empty()) {
        uint64_t word = 0;
        const size_t count = std::min(text.size(), sizeof word);
        std::memcpy(&word, text.data(), count);
        key[0] = mixed(key[0] + word);
        key[1] = mixed(key[1] ^ (word * 0x9ddfea08eb382d69u)) + key[0];
        text.remove_prefix(count);
    }
    key = {mixed(key[0] ^ length), mixed(key[1] + length)};
    if (key == kFree) key[0] = 1;
    return key;
}

bool SeenTexts::add(const TextKey& key) {
    if (4 * (size_ + 1) > 3 * slots_.size()) grow();
    TextKey& place = place_of(key);
    if (place == key) return false;
    place = key;
    ++size_;
    return true;
}

TextKey& SeenTexts::place_of(const TextKey& key) {
    size_t at = key[0] & (slots_.size() - 1);
    while (slots_[at] != kFree && slots_[at] != key) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
}

void SeenTexts::grow() {
    const size_t wider = slots_.empty() ? 1024 : 2 * slots_.size();
    const std::vector<TextKey> old = std::exchange(slots_, std::vector<TextKey>(wider, kFree));
    for (const TextKey& key : old)
        if (key != kFree) place_of(key) = key;
}

}  // namespace headroom
