#include "core/config/recipes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/key_error.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TrainConfig train_of(const std::string& train) {
    const json model{{"n_layer", 2}, {"block_size", 1024}};
    return parse_job({{"model", model}, {"train", json::parse(train)}}, "").train;
}

TEST(Recipes, EachIsATrainSectionThatIsRead) {
    for (const Recipe& recipe : recipes()) {
        SCOPED_TRACE(recipe.name);
        const TrainConfig train = train_of(R"({"recipe": ")" + recipe.name + "\"}");
        EXPECT_NE(train, TrainConfig{});
        EXPECT_EQ(find_recipe(recipe.name), &recipe);
        EXPECT_FALSE(recipe.help.empty());
        EXPECT_DOUBLE_EQ(train.min_lr, train.lr / 10);
    }
    EXPECT_EQ(find_recipe("none"), nullptr);
}

TEST(Recipes, FillOnlyWhatTheJobLeavesOpen) {
    const TrainConfig train =
        train_of(R"({"recipe": "skipv1_gpt2", "steps": 2000, "lr": 5e-4, "dropout": 0})");
    EXPECT_EQ(train.steps, 2000);
    EXPECT_EQ(train.warmup_steps, 200);  // a tenth of the job's own steps
    EXPECT_DOUBLE_EQ(train.min_lr, 5e-5);
    EXPECT_EQ(train.dropout, 0.0);
    EXPECT_EQ(train.schedule, Schedule::kOneCycle);
    EXPECT_EQ(train.decay_groups, DecayGroups::kNoEmbeddings);
    EXPECT_EQ(train.grad_clip, 0.0);
    EXPECT_EQ(train_of(R"({"recipe": "skipv1_gpt2", "warmup_steps": 7})").warmup_steps, 7);
    EXPECT_EQ(train_of(R"({"recipe": "query_free_100k", "warmup_share": 0.5})").warmup_steps,
              300000);
}

TEST(Recipes, AreWrittenOutAsTheKeysThatTheyMean) {
    const json job = json::parse(R"({"train": {"recipe": "skipv1_llama", "steps": 2500},
                                     "model": {"block_size": 1024}})");
    const json written = to_json(parse_job(job, ""));
    EXPECT_FALSE(written.at("train").contains("recipe"));
    EXPECT_FALSE(written.at("train").contains("warmup_share"));
    EXPECT_EQ(written.at("train").at("decay_groups"), "all");
    EXPECT_EQ(parse_job(written, ""), parse_job(job, ""));
}

TEST(Recipes, TwoKeysThatSayTheSameAreRefusedAndTheLastSetCounts) {
    EXPECT_THAT([] { train_of(R"({"warmup_share": 0.1, "warmup_steps": 5})"); },
                ThrowsMessage<KeyError>(
                    "train.warmup_share and train.warmup_steps say the same; give one of them"));
    EXPECT_THAT([] { train_of(R"({"decay_steps": 40, "steps": 100})"); },
                testing::Not(testing::Throws<UserError>()));
    EXPECT_THAT([] { train_of(R"({"decay_steps": 40, "warmup_steps": 50})"); },
                ThrowsMessage<KeyError>(HasSubstr("more than train.decay_steps = 40")));
    json document = to_json(parse_job(json::object(), ""));
    apply_set(document, "train.warmup_share=0.5");
    EXPECT_EQ(parse_job(document, "").train.warmup_steps, 250);
    apply_set(document, "train.warmup_steps=3");
    EXPECT_EQ(parse_job(document, "").train.warmup_steps, 3);
}

TEST(Recipes, ReachAFileThatIsWrittenOut) {
    json document = to_json(parse_job(json::parse(R"({"model": {"block_size": 1024}})"), ""));
    apply_set(document, "train.recipe=skipv1_llama");
    const TrainConfig train = parse_job(document, "").train;
    EXPECT_EQ(train.lr, 2e-3);
    EXPECT_EQ(train.decay_groups, DecayGroups::kAll);
}

}  // namespace
}  // namespace headroom
