#include "panels/lab/absorption_answers.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headroom {
namespace {

constexpr const char* kAnswers = R"({"mlps": [
    {"layer": 0, "decision": "no", "relative_residual": 0.9, "coefficients": [0.5, -0.25, 1.5],
     "coefficient_distance": 0.3, "theorem": "Theorem 10", "reason": "none"},
    {"layer": 1, "decision": "impossible", "mlp_alone": "no", "relative_residual": null,
     "coefficients": [], "theorem": "-", "reason": "a norm"}]})";

TEST(AbsorptionAnswers, AreReadWithTheirCoefficientsInOrder) {
    const auto answers = read_absorption(kAnswers);
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_THAT(answers[0].coefficients, testing::ElementsAre(-0.25, 0.5, 1.5));
    EXPECT_EQ(answers[1].mlp_alone, "no");
    EXPECT_TRUE(std::isnan(answers[1].relative_residual));
    const auto one = read_absorption(R"({"decision": "yes", "theorem": "t", "reason": "r", "mlps": [
            {"decision": "yes", "theorem": "t", "reason": "r"}]})");
    EXPECT_EQ(one.at(0).layer, -1);
}

TEST(AbsorptionAnswers, AreDrawnBesideZeroAndOne) {
    const Figure figure = build_absorption_figure(read_absorption(kAnswers));
    ASSERT_EQ(figure.series.size(), 1u);  // the second has none
    EXPECT_EQ(figure.series[0].legend, "layer 0");
    EXPECT_THAT(figure.series[0].data->x(), testing::SizeIs(3));
    EXPECT_EQ(figure.y.range, (Range{-0.25, 1.5}));
    EXPECT_EQ(figure.rules.size(), 2u);
    EXPECT_FALSE(build_absorption_figure({}).empty_text.empty());
}

TEST(AbsorptionAnswers, RefuseWhatIsNone) {
    for (const char* text : {"", "[]", "{}", R"({"mlps": 1})", R"({"mlps": [1]})",
                             R"({"mlps": [{"decision": "no", "theorem": "t", "reason": 3}]})",
                             R"({"mlps": [{"decision": "no", "theorem": "t", "reason": "r",
                                           "coefficients": ["x"]}]})"})
        EXPECT_THROW(read_absorption(text), UserError) << text;
}

}  // namespace
}  // namespace headroom
