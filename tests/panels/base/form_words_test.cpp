#include "panels/base/form_words.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(FormWords, HaveFieldsInPlaceOfOptions) {
    EXPECT_EQ(form_words("--x is required; see headroom figure results --help"), "x is required");
    EXPECT_EQ(form_words("--layer 7 is out of range; give 0 to 3"),
              "layer = 7 is out of range; give 0 to 3");
    EXPECT_EQ(form_words("--step 5 has none; make it: headroom probe heads runs/a --step 5"),
              "step = 5 has none; make it: headroom probe heads runs/a --step 5");
    EXPECT_EQ(form_words("a run without dashes - like this one"),
              "a run without dashes - like this one");
}

}  // namespace
}  // namespace headroom
