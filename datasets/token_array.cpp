#include "datasets/token_array.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace headroom {
namespace {

/// Unaligned little-endian read; folds into one load on little-endian processors.
uint64_t load_id(const unsigned char* at, int width) {
    uint64_t id = 0;
    for (int i = 0; i < width; ++i) id |= static_cast<uint64_t>(at[i]) << (8 * i);
    return id;
}

template <int width>
void read_ids(const unsigned char* from, std::span<int32_t> out) {
    for (size_t i = 0; i < out.size(); ++i) {
        const uint64_t id = load_id(from + i * width, width);
        out[i] = id > 0x7fffffffu ? -1 : static_cast<int32_t>(id);
    }
}

template <int width>
int64_t largest(const unsigned char* from, int64_t count) {
    constexpr uint64_t kBeyond = uint64_t{1} << 31;
    uint64_t best = 0;
    for (int64_t i = 0; i < count; ++i) best = std::max(best, load_id(from + i * width, width));
    return static_cast<int64_t>(std::min(best, kBeyond));
}

template <class T>
std::shared_ptr<const std::vector<unsigned char>> packed(const std::vector<int32_t>& ids) {
    auto bytes = std::make_shared<std::vector<unsigned char>>(ids.size() * sizeof(T));
    for (size_t i = 0; i < ids.size(); ++i)
        for (size_t b = 0; b < sizeof(T); ++b)
            (*bytes)[i * sizeof(T) + b] =
                static_cast<unsigned char>(static_cast<uint32_t>(ids[i]) >> (8 * b));
    return bytes;
}

}  // namespace

TokenArray TokenArray::view(std::shared_ptr<const void> owner, const unsigned char* data, int width,
                            int64_t count) {
    CHECK(width == 1 || width == 2 || width == 4 || width == 8, "token width");
    TokenArray array;
    array.owner_ = std::move(owner);
    array.data_ = data;
    array.width_ = width;
    array.count_ = count;
    return array;
}

TokenArray TokenArray::from_bytes(std::string bytes) {
    const auto owner = std::make_shared<const std::string>(std::move(bytes));
    return view(owner, reinterpret_cast<const unsigned char*>(owner->data()), 1,
                static_cast<int64_t>(owner->size()));
}

TokenArray TokenArray::from_ids(const std::vector<int32_t>& ids) {
    const int32_t most = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
    const int width = most < 256 ? 1 : most < 65536 ? 2 : 4;
    const auto owner = width == 1   ? packed<uint8_t>(ids)
                       : width == 2 ? packed<uint16_t>(ids)
                                    : packed<uint32_t>(ids);
    return view(owner, owner->data(), width, static_cast<int64_t>(ids.size()));
}

void TokenArray::read(int64_t first, std::span<int32_t> out) const {
    const auto length = static_cast<int64_t>(out.size());
    CHECK(first >= 0 && length <= count_ && first <= count_ - length, "tokens out of range");
    const unsigned char* from = data_ + first * width_;
    if (width_ == 1) read_ids<1>(from, out);
    if (width_ == 2) read_ids<2>(from, out);
    if (width_ == 4) read_ids<4>(from, out);
    if (width_ == 8) read_ids<8>(from, out);
}

TokenArray TokenArray::slice(int64_t first, int64_t count) const {
    CHECK(first >= 0 && count >= 0 && first <= count_ - count, "slice out of range");
    return view(owner_, data_ + first * width_, width_, count);
}

int64_t TokenArray::largest_id() const {
    if (count_ == 0) return -1;
    if (width_ == 1) return largest<1>(data_, count_);
    if (width_ == 2) return largest<2>(data_, count_);
    if (width_ == 4) return largest<4>(data_, count_);
    return largest<8>(data_, count_);
}

}  // namespace headroom
