#include "panels/base/numbering.h"

#include <thread>

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(Numbering, AScopeHoldsForItsThreadAlone) {
    EXPECT_EQ(shown_number(3), 3);
    EXPECT_EQ(in_shown_numbers("W_Q of layer 3"), "W_Q of layer 3");
    EXPECT_EQ(layer_axis_label(), "layer");
    set_numbering_base(1);
    EXPECT_EQ(layer_axis_label(), "layer, counted from 0") << "its numbers do";
    EXPECT_EQ(shown_number(3), 4);
    EXPECT_EQ(counted_from_zero("a skip (skip_attn of layer 3)"),
              "a skip (skip_attn of layer 3) (here layers and heads count from 0)");
    EXPECT_EQ(counted_from_zero("the layers differ"), "the layers differ");
    EXPECT_EQ(in_shown_numbers("layer 9 projects 2 of 4 heads, so W_K of layer 0 (h.0.attn.k) is"),
              "layer 10 projects 2 of 4 heads, so W_K of layer 1 (h.0.attn.k) is");
    EXPECT_EQ(in_shown_numbers("--layer -1 and the last layer "), "--layer -1 and the last layer ");
    {
        const NumberingScope outer(0);
        EXPECT_EQ(shown_number(3), 3);
        {
            const NumberingScope inner(1);
            EXPECT_EQ(shown_number(3), 4);
        }
        EXPECT_EQ(shown_number(3), 3);
        std::thread([] { EXPECT_EQ(shown_number(3), 4); }).join();
    }
    EXPECT_EQ(shown_number(3), 4);
    set_numbering_base(0);
}

}  // namespace
}  // namespace headroom
