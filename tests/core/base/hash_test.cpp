#include "core/base/hash.h"

#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace headroom {
namespace {

uint64_t hash_of(std::string_view text) {
    return hash_bytes({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

TEST(Hash, AgreesWithThePublishedFnv1aVectors) {
    EXPECT_EQ(hash_of(""), 0xcbf29ce484222325u);
    EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8cu);
    EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8u);
}

TEST(Hash, TokensAreHashedAsLittleEndianWords) {
    const std::vector<int32_t> inputs{'a' | 'b' << 8 | 'c' << 16 | 'd' << 24}, targets{-1};
    EXPECT_EQ(hash_tokens(inputs, targets), hash_of("abcd\xff\xff\xff\xff"));
}

TEST(Hash, ChainsOverMicroBatches) {
    const std::vector<int32_t> a{1, 2}, b{3, 4};
    const uint64_t chained = hash_tokens(b, b, hash_tokens(a, a));
    EXPECT_NE(chained, hash_tokens(a, a, hash_tokens(b, b)));
    EXPECT_NE(chained, hash_tokens(a, a));
}

}  // namespace
}  // namespace headroom
