#include "panels/uptrain/initial_losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::json;

Json losses_document() {
    return {{"compare",
             {{"tokens", 4096},
              {"losses",
               {{{"method", "source"}, {"loss", 2.0}},
                {{"method", "mean_v"}, {"loss", 4.5}},
                {{"method", "svd"}, {"loss", 7.25}}}}}}};
}

TEST(InitialLosses, AreColumnsAboveARuleAtTheSource) {
    const Figure figure = build_initial_losses(read_initial_losses(losses_document(), "u.json"));
    EXPECT_THAT(figure.x.names, ElementsAre("Mean V", "SVD"));
    ASSERT_EQ(figure.bars.size(), 2u);
    EXPECT_EQ(figure.bars[0].upper, 4.5);
    EXPECT_EQ(figure.bars[1].upper, 7.25);
    ASSERT_EQ(figure.rules.size(), 1u);
    EXPECT_EQ(figure.rules[0].at, 2.0);
    EXPECT_THAT(figure.footnote, HasSubstr("4,096 tokens"));
}

TEST(InitialLosses, OfRunsAreTheirLossesBeforeTheFirstStep) {
    const RunPointer original =
        ExampleRun{.id = "base", .val_steps = {0, 10, 20}, .val_losses = {5, 3, 2}}.make();
    const RunPointer converted =
        ExampleRun{.id = "mean", .val_steps = {0, 10}, .val_losses = {4, 2.5f}}.make();
    const InitialLosses losses = initial_losses_of_runs({converted, original}, original);
    EXPECT_EQ(losses.source, 2);
    ASSERT_EQ(losses.methods.size(), 1u);
    EXPECT_EQ(losses.methods[0].name, "mean");
    EXPECT_EQ(losses.methods[0].loss, 4);
    const RunPointer late = ExampleRun{.id = "late", .val_steps = {10}, .val_losses = {4}}.make();
    EXPECT_THROW(initial_losses_of_runs({late, original}, original), UserError);
    EXPECT_THROW(initial_losses_of_runs({original}, original), UserError);
}

TEST(InitialLosses, RefusesWhatConvertDidNotWrite) {
    Json broken = losses_document();
    broken["compare"]["losses"][1]["loss"] = "much";
    EXPECT_THROW(read_initial_losses(broken, "u.json"), UserError);
    broken = losses_document();
    broken["compare"]["losses"] = Json::array();
    EXPECT_THROW(read_initial_losses(broken, "u.json"), UserError);
    EXPECT_THROW(read_initial_losses(Json::object(), "u.json"), UserError);
    EXPECT_THROW(read_initial_losses(3, "u.json"), UserError);
}

}  // namespace
}  // namespace headroom
