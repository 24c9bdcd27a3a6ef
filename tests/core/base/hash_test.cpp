#include "core/base/hash.h"

#include <string_view>

#include <gtest/gtest.h>

namespace headroom {
namespace {

uint64_t hash_of_text(std::string_view text) {
    return hash_bytes({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

TEST(Hash, AgreesWithThePublishedFnv1aVectors) {
    EXPECT_EQ(hash_of_text(""), 0xcbf29ce484222325u);
    EXPECT_EQ(hash_of_text("a"), 0xaf63dc4c8601ec8cu);
    EXPECT_EQ(hash_of_text("foobar"), 0x85944171f73967e8u);
}

}  // namespace
}  // namespace headroom
