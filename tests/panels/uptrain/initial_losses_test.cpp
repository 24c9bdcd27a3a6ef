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
    const RunPointer converted = ExampleRun{
        .id = "mean",
        .group = "mean",
        .val_steps = {0, 10},
        .val_losses = {4, 2.5f}}.make();
    const InitialLosses losses = initial_losses_of_runs({converted, original}, original);
    EXPECT_EQ(losses.source, 2);
    ASSERT_EQ(losses.methods.size(), 1u);
    EXPECT_EQ(losses.methods[0].name, "mean");
    EXPECT_EQ(losses.methods[0].loss, 4);
    const RunPointer late =
        ExampleRun{.id = "late", .group = "late", .val_steps = {10}, .val_losses = {4}}.make();
    EXPECT_THROW(initial_losses_of_runs({late, original}, original), UserError);
    EXPECT_THROW(initial_losses_of_runs({original}, original), UserError);
}

TEST(InitialLosses, OfSeveralSeedsAreMeansThatSayOfWhich) {
    const auto made = [](const std::string& group, int64_t seed, float first, float last) {
        return ExampleRun{.id = group + std::to_string(seed),
                          .group = group,
                          .seed = seed,
                          .val_steps = {0, 10},
                          .val_losses = {first, last}}
            .make();
    };
    std::vector<RunPointer> runs = {made("base", 1, 9, 2), made("base", 2, 9, 3),
                                    made("mean", 1, 4, 1), made("mean", 2, 5, 1)};
    const InitialLosses both = initial_losses_of_runs(runs, runs[0]);
    EXPECT_EQ(both.source, 2.5);
    ASSERT_EQ(both.methods.size(), 1u);
    EXPECT_EQ(both.methods[0].loss, 4.5);
    EXPECT_EQ(build_initial_losses(both).footnote, "means over 2 seeds");
    runs.push_back(made("svd", 1, 6, 1));
    const Figure uneven = build_initial_losses(initial_losses_of_runs(runs, runs[0]));
    EXPECT_EQ(uneven.rules[0].label, "before the conversion (2 seeds)");
    EXPECT_THAT(uneven.x.names, ElementsAre("mean (2 seeds)", "SVD (seed 1)"));
    runs.erase(runs.begin() + 3);  // seed 2 of the original was not converted then
    const InitialLosses first = initial_losses_of_runs(runs, runs[0]);
    EXPECT_EQ(first.source, 2);
    EXPECT_EQ(build_initial_losses(first).footnote, "seed 1");
}

RunPointer begun_with(const RunPointer& made, const std::string& checkpoint) {
    Run run = *made;
    Job job;
    job.train.init_from = checkpoint;
    run.job = std::make_shared<const Job>(job);
    return std::make_shared<const Run>(run);
}

// The rule was the end of the original's training: a conversion seemed to cost what that gained.
TEST(InitialLosses, AreComparedWithTheCheckpointThatWasConverted) {
    const RunPointer original =
        ExampleRun{.id = "base", .val_steps = {0, 10, 20}, .val_losses = {5, 3, 2}}.make();
    const auto converted = [](const std::string& id, const std::string& step) {
        return begun_with(
            ExampleRun{.id = id, .group = id, .val_steps = {0}, .val_losses = {3.5f}}.make(),
            "runs/base/checkpoints/step-" + step + ".safetensors");
    };
    const RunPointer early = converted("early", "00000010"), late = converted("late", "00000020");
    EXPECT_EQ(initial_losses_of_runs({original, early}, original).source, 3);
    EXPECT_EQ(initial_losses_of_runs({original, late}, original).source, 2);
    const Figure both =
        build_initial_losses(initial_losses_of_runs({original, early, late}, original));
    EXPECT_TRUE(both.rules.empty()) << "there is no one loss before";
    EXPECT_THAT(both.footnote, HasSubstr("at steps 10, 20 of the original"));
    EXPECT_THROW(initial_losses_of_runs({original, converted("odd", "00000015")}, original),
                 UserError);
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
