#include "app/study/claims_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ClaimsText, SaysInWhatAClaimIsNotAsOthers) {
    Claim claim;
    claim.measure = "final";
    EXPECT_THAT(conditions_of(claim), IsEmpty());
    claim.by_seed = true;
    claim.at_tokens = 0;
    EXPECT_THAT(conditions_of(claim),
                ElementsAre("pairs agree in seed and data, not in what they were trained on",
                            "final at 0 tokens, not at the end"));
}

}  // namespace
}  // namespace headroom
