#include "core/base/philox.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

using Words = std::array<uint32_t, 4>;

// Known answers of philox4x32-10 from the authors' Random123 distribution, file kat_vectors.
TEST(Philox, GivesTheAuthorsKnownAnswers) {
    EXPECT_EQ(Philox::block({0, 0, 0, 0}, 0, 0),
              (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr uint32_t kOnes = 0xffffffff;
    EXPECT_EQ(Philox::block({kOnes, kOnes, kOnes, kOnes}, kOnes, kOnes),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(
        Philox::block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
        (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(DropoutStream, DiffersInEveryPartOfItsName) {
    const DropoutStream stream{.seed = 1, .step = 2, .micro = 3, .stream = 4};
    for (const DropoutStream& other :
         {DropoutStream{2, 2, 3, 4}, DropoutStream{1, 3, 3, 4}, DropoutStream{1, 2, 4, 4},
          DropoutStream{1, 2, 3, 5}, DropoutStream{uint64_t{1} << 32 | 1, 2, 3, 4}})
        EXPECT_NE(stream.word(7), other.word(7));
    EXPECT_NE(stream.word(7), stream.word(8));
    EXPECT_NE(stream.word(7), stream.word(7 + (uint64_t{1} << 34)));
}

}  // namespace
}  // namespace headroom
