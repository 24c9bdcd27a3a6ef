#include "panels/launch/launch_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/parameter_count.h"
#include "core/config/job_json.h"
#include "panels/launch/launch_base.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::HasSubstr;

LaunchPlace match_place() {
    LaunchPlace place;
    place.study = "/studies/first";
    place.data = DataFacts{256, "grammar", "", ""};
    return place;
}
LaunchInput form(const std::string& preset, const std::string& variant) {
    LaunchInput input;
    input.preset = preset;
    input.variants = {variant};
    return input;
}
int64_t params_of(const LaunchInput& input) {
    return build_launch(input, match_place()).runs.at(0).params_total;
}

// It began with the tiny preset and another text, and nothing said that they cannot be compared.
TEST(LaunchStart, IsLikeTheFirstRunOfAStudyWithoutAJob) {
    LaunchPlace study = match_place();
    EXPECT_EQ(start_input(study).preset, "tiny");
    for (const char* preset : {"demo", "gpt2-124m"}) {
        const auto first = std::make_shared<const Job>(
            parse_job({{"model", {{"preset", preset}, {"arch", "cla"}, {"vocab_size", 256}}},
                       {"data", {{"train", "text:/books/a.txt"}}},
                       {"train", {{"steps", 70}}}},
                      ""));
        study.runs = {{"cla-s1", first}};
        study.study_job = job_of_study("", first, study.study);
        const LaunchInput input = start_input(study);
        EXPECT_EQ(input.seeds, "2") << "the first has one";
        const LaunchView view = build_launch(input, study);
        ASSERT_EQ(view.runs.size(), 1u);
        EXPECT_EQ(view.runs[0].job.data.train, "text:/books/a.txt");
        EXPECT_EQ(view.runs[0].job.train.steps, 70);
        EXPECT_EQ(view.runs[0].job.model, first->model);
        const LaunchInput other = with_variant(with_variant(input, "skipv1", true), "cla", false);
        EXPECT_EQ(proposed_seeds(other, study), "1") << "whose partner it is";
        EXPECT_EQ(build_launch(other, study).runs.at(0).job.model.wiring_choice.key_source, "own");
        EXPECT_EQ(job_of_study(R"({"model": {}})", first, ""), R"({"model": {}})");
    }
}

TEST(LaunchMatch, PutsTheSizeIntoTheFormThatMakesTheCountsEqual) {
    const LaunchInput input = form("gpt2-124m", "wq_identity");
    const LaunchMatch match = match_launch(input, match_place(), {"gpt2-124m"});
    ASSERT_EQ(match.error, "");
    ASSERT_FALSE(match.proposals.empty());
    EXPECT_EQ(match.proposals[0].label, "d_ff = 3456");
    EXPECT_TRUE(match.proposals[0].exact);
    const LaunchInput matched = with_settings(input, match.proposals[0]);
    EXPECT_EQ(matched.values.at("model.d_ff"), "3456");
    EXPECT_EQ(params_of(matched), 124'373'760);
}

TEST(LaunchMatch, AProposalChangesNothingButItsSizes) {
    LaunchInput input = form("tiny", "skipv1");
    input.values["train.steps"] = "77";
    input.values["model.n_layer"] = "4";
    const LaunchMatch match =
        match_launch(input, match_place(), {"tiny", MatchMeasure::kParams, MatchKey::kNLayer});
    ASSERT_EQ(match.proposals.size(), 2u) << match.sentence;
    const LaunchInput matched = with_settings(input, match.proposals[0]);
    EXPECT_EQ(matched.values.at("train.steps"), "77");
    EXPECT_EQ(matched.values.size(), 2u);
    EXPECT_EQ(match.input, input);
    // What the proposal says is left is what is left.
    const int64_t left = params_of(matched) - params_of(form("tiny", "gpt2"));
    EXPECT_THAT(match.proposals[0].effect, HasSubstr(left < 0 ? "-" : "+"));
}

TEST(LaunchMatch, ProposesNothingThatIsInTheFormAlready) {
    const LaunchMatch match =
        match_launch(form("tiny", "gpt2"), match_place(), {"tiny", MatchMeasure::kFlops});
    EXPECT_TRUE(match.proposals.empty());
    EXPECT_THAT(match.sentence, HasSubstr("are equal already"));
    for (const MatchProposal& p :
         match_launch(form("tiny", "wq_identity"), match_place(), {"tiny"}).proposals)
        EXPECT_NE(p.label, "n_layer = 6");
}

TEST(LaunchMatch, SaysWhatDoesNotDependOnTheSize) {
    const LaunchMatch match = match_launch(form("tiny", "skipv1"), match_place(),
                                           {"tiny", MatchMeasure::kCache, MatchKey::kDff});
    EXPECT_TRUE(match.proposals.empty());
    EXPECT_THAT(match.sentence, HasSubstr("cache bytes per token do not depend on d_ff"));
}

TEST(LaunchMatch, EachOfSeveralVariantsGetsASizeOfItsOwn) {
    LaunchInput input = form("tiny", "gpt2");
    input.variants = {"gpt2", "skipv1", "wq_identity"};
    const LaunchMatch match =
        match_launch(input, match_place(), {"tiny", MatchMeasure::kParams, MatchKey::kDff});
    ASSERT_EQ(match.error, "");
    ASSERT_EQ(match.proposals.size(), 1u);
    EXPECT_THAT(match.proposals[0].effect, HasSubstr("W_Q = I: d_ff = 864, equal"));
    EXPECT_THAT(match.sentence, HasSubstr("Baseline")) << "which is equal as it is";
    const LaunchInput matched = with_settings(input, match.proposals[0]);
    EXPECT_TRUE(matched.values.empty()) << "no size holds for all of them";
    const LaunchView view = build_launch(matched, match_place());
    ASSERT_EQ(view.runs.size(), 3u);
    EXPECT_EQ(view.runs[0].job.model.d_ff, 768);
    EXPECT_EQ(view.runs[1].job.model.d_ff, 864);
    for (const LaunchRun& run : view.runs)
        EXPECT_NEAR(static_cast<double>(run.params_total),
                    static_cast<double>(view.runs[0].params_total), 1000)
            << run.variant;
    // Listed, and taken back one by one.
    ASSERT_EQ(view.changes.size(), 2u);
    EXPECT_EQ(view.changes[1].text, "W_Q = I is matched: model.d_ff = 864");
    const LaunchInput back = without_change(matched, match_place(), view.changes[1].path);
    EXPECT_EQ(build_launch(back, match_place()).runs[1].job.model.d_ff, 768);
    EXPECT_EQ(match_launch(matched, match_place(), {"small"}).input, matched);
}

TEST(LaunchMatch, SizesOfVariantsGoWithTheModelThatTheyWereFoundFor) {
    LaunchInput input = form("tiny", "skipv1");
    input.sizes["skipv1"] = {{"model.d_ff", "800"}};
    EXPECT_EQ(with_value(input, "train.lr", "1e-3").sizes, input.sizes);
    EXPECT_TRUE(with_value(input, "model.n_layer", "3").sizes.empty());
    EXPECT_TRUE(with_preset(input, "small").sizes.empty());
    EXPECT_TRUE(with_variant(input, "skipv1", false).sizes.empty());
    EXPECT_EQ(with_variant(input, "gpt2", true).sizes, input.sizes);
}

TEST(LaunchMatch, WaitsForTheDataAndNamesWrongValues) {
    LaunchPlace unknown = match_place();
    unknown.data.reset();
    EXPECT_THAT(match_launch(form("tiny", "gpt2"), unknown, {"small"}).error, HasSubstr("data"));
    LaunchInput wrong = form("tiny", "gpt2");
    wrong.values["model.n_head"] = "7";
    EXPECT_THAT(match_launch(wrong, match_place(), {"small"}).error, HasSubstr("model.n_head = 7"));
}

TEST(LaunchMatch, ARunOfTheStudyIsABaselineToo) {
    LaunchPlace with_run = match_place();
    auto job = std::make_shared<Job>(
        parse_job({{"model", {{"preset", "tiny"}, {"vocab_size", 256}, {"d_ff", 801}}}}, ""));
    with_run.runs["first-s1"] = job;
    EXPECT_THAT(match_baselines(with_run), Contains("run first-s1"));
    EXPECT_THAT(match_baselines(with_run), Contains("gpt2-355m"));
    EXPECT_EQ(usual_match_baseline({}, LaunchPlace{}), LaunchInput{}.preset);
    const LaunchMatch match = match_launch(form("tiny", "gpt2"), with_run, {"run first-s1"});
    ASSERT_FALSE(match.proposals.empty());
    EXPECT_EQ(match.proposals[0].label, "d_ff = 801");
    EXPECT_NE(match_launch(form("tiny", "gpt2"), match_place(), {"run first-s1"}).error, "");
}

TEST(LaunchForm, APresetBringsItsArchitectureAndTakesItAlong) {
    const LaunchInput skip = with_preset({}, "gpt2-124m-skipv1");
    EXPECT_EQ(skip.variants, std::vector<std::string>{"skipv1"});
    EXPECT_EQ(with_preset(skip, "tiny").variants, std::vector<std::string>{"gpt2"});
    LaunchInput chosen = form("tiny", "resformer");
    EXPECT_EQ(with_preset(chosen, "small").variants, std::vector<std::string>{"resformer"});
}

}  // namespace
}  // namespace headroom
