#include "core/base/nearest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsSubstitutionsAndSwaps) {
    EXPECT_EQ(edit_distance("", "abc"), 3);
    EXPECT_EQ(edit_distance("n_layer", "n_layers"), 1);
    EXPECT_EQ(edit_distance("n_layer", "n_laeyr"), 1);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Nearest, FindsALikelyMisspellingAndNothingElse) {
    const std::vector<std::string> keys{"n_layer", "n_head", "d_model"};
    EXPECT_EQ(nearest("n_layers", keys), "n_layer");
    EXPECT_EQ(nearest("dmodel", keys), "d_model");
    EXPECT_EQ(nearest("temperature", keys), "");
}

TEST(Suggestion, ListsWhatIsKnownWhenNothingIsNear) {
    const std::vector<std::string> keys{"a", "b"};
    EXPECT_EQ(suggestion("zzzzzz", keys), "; known: a, b");
    EXPECT_EQ(suggestion("zzzzzz", std::vector<std::string>{}), "");
    EXPECT_EQ(suggestion("n_hed", std::vector<std::string>{"n_head"}),
              "; did you mean \"n_head\"?");
}

}  // namespace
}  // namespace headroom
