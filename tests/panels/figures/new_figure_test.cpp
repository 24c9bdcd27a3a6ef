#include "panels/figures/new_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

RunPointer run_of(const std::string& id, const nlohmann::json& train,
                  const std::string& arch = "gpt2") {
    headroom::Run run;
    run.id = id;
    run.folder = "/study/runs/" + id;
    if (!train.is_null())
        run.job = std::make_shared<const Job>(parse_job(
            {{"name", id}, {"model", {{"preset", "demo"}, {"arch", arch}}}, {"train", train}}, ""));
    return std::make_shared<const headroom::Run>(run);
}

StudyLook look_at(std::vector<RunPointer> runs) {
    auto study = std::make_shared<StudySnapshot>();
    study->folder = "/study";
    study->runs = std::move(runs);
    StudyLook look;
    look.study = study;
    return look;
}

TEST(NewFigure, OfResultsStandsAgainstWhatTheRunsDifferIn) {
    const auto x = [](std::vector<RunPointer> runs) {
        return new_figure("results", look_at(std::move(runs))).options.at("x");
    };
    EXPECT_EQ(x({run_of("a", {{"steps", 10}}), run_of("b", {{"steps", 20}})}), "train.steps");
    EXPECT_EQ(
        x({run_of("a", {{"steps", 10}, {"lr", 1e-3}}), run_of("b", {{"steps", 20}, {"lr", 2e-3}})}),
        "train.lr");
    EXPECT_EQ(x({run_of("a", {{"steps", 10}}), run_of("b", {{"steps", 10}}, "skipv1")}), "train.lr")
        << "an architecture is no number";
    EXPECT_EQ(x({run_of("imported", nullptr)}), "train.lr");
}

TEST(NewFigure, OfAWiringShowsTheSelectedRunAlone) {
    StudyLook look = look_at(
        {run_of("imported", nullptr), run_of("a", {{"steps", 10}}), run_of("b", {{"steps", 20}})});
    look.selected = {"b", "a"};
    EXPECT_THAT(new_figure("wiring", look).runs, ElementsAre("b"));
    EXPECT_FALSE(new_figure("wiring", look).all_runs);
    look.selected = {"imported"};
    EXPECT_THAT(new_figure("wiring", look).runs, ElementsAre("a")) << "of that no model is known";
}

TEST(NewFigure, HasWhatItsRecipeCannotDoWithout) {
    StudyLook look = look_at({run_of("a", {{"steps", 10}})});
    look.reference = "a";
    EXPECT_THAT(new_figure("profile", look).options,
                UnorderedElementsAre(Pair("what", "effective_rank")));
    EXPECT_THAT(new_figure("uptrain", look).options, UnorderedElementsAre(Pair("reference", "a")));
    const StudyFigure loss = new_figure("loss", look);
    EXPECT_THAT(loss.options, IsEmpty());
    EXPECT_TRUE(loss.all_runs);
}

}  // namespace
}  // namespace headroom
