#include "core/base/natural_order.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(NaturalOrder, CountsDigitsAsTheNumberThatTheySay) {
    const std::vector<std::string> ordered{"",         "base",       "base-s1",   "base-s2",
                                           "base-s10", "base-s10-2", "base-s100", "skip",
                                           "w02",      "w2",         "w10"};
    for (size_t i = 0; i < ordered.size(); ++i)
        for (size_t j = 0; j < ordered.size(); ++j)
            EXPECT_EQ(natural_less(ordered[i], ordered[j]), i < j)
                << ordered[i] << " " << ordered[j];
}

TEST(NaturalOrder, NumbersMayBeOfAnyLength) {
    const std::string many(40, '9');
    EXPECT_TRUE(natural_less("s" + many, "s1" + many));
    EXPECT_FALSE(natural_less("s1" + many, "s" + many));
    EXPECT_TRUE(natural_less("s0", "s00"));
    EXPECT_FALSE(natural_less("s00", "s0"));
}

}  // namespace
}  // namespace headroom
