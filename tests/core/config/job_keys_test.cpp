#include "core/config/job_keys.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/config/presets.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> ignored_in(const std::string& keys) {
    return ignored_keys(parse_job({{"model", nlohmann::json::parse(keys)}}, ""));
}

TEST(IgnoredKeys, NameWhatIsSwitchedOff) {
    EXPECT_THAT(ignored_in(R"({"dwa_period": 2})"),
                ElementsAre("model.dwa_period = 2 has no effect without dense = true"));
    EXPECT_THAT(ignored_in(R"({"res_lambda": "learned"})"),
                ElementsAre("model.res_lambda = \"learned\" has no effect without "
                            "value_source = res or skip_res"));
    EXPECT_THAT(ignored_in(R"({"skip_ratio": 0.25, "rope_theta": 5e5})"), testing::SizeIs(2));
}

TEST(IgnoredKeys, AreSilentWhereTheKeyMatters) {
    EXPECT_THAT(ignored_in(R"({"arch": "denseformer", "dwa_period": 2})"), IsEmpty());
    EXPECT_THAT(ignored_in(R"({"arch": "resformer", "res_lambda": "learned"})"), IsEmpty());
    EXPECT_THAT(ignored_in(R"({"arch": "skipv1", "skip_ratio": 0.25})"), IsEmpty());
    EXPECT_THAT(ignored_in(R"({"base": "llama", "rope_theta": 5e5})"), IsEmpty());
}

TEST(IgnoredKeys, FollowOneTableForTheFormAndTheWarning) {
    // The rotary part of latent attention turns whatever the positions are.
    EXPECT_THAT(ignored_in(R"({"arch": "mla", "base": "gpt2", "rope_theta": 5e5})"), IsEmpty());
    EXPECT_THAT(ignored_in(R"({"key_source": "skip", "inject": "oddeven"})"),
                ElementsAre("model.inject = \"oddeven\" has no effect without value_source = "
                            "skip and skip_layer > 0"));
    EXPECT_THAT(ignored_in(R"({"norm": "dyt", "norm_eps": 1e-3})"), testing::SizeIs(1));
    EXPECT_THAT(ignored_in(R"({"yoco_split": 2})"), testing::SizeIs(1));
    EXPECT_THAT(
        ignored_keys(parse_job(
            nlohmann::json::parse(R"({"train": {"weight_decay": 0, "decay_groups": "all"}})"), "")),
        ElementsAre("train.decay_groups = \"all\" has no effect without weight_decay > 0"));
}

// Found by random configurations whose checkpoints were the same with and without the key.
TEST(IgnoredKeys, FollowTheWholeModel) {
    const auto named = [](const std::string& keys) {
        std::string all;
        for (const std::string& each : ignored_in(keys))
            all += each.substr(0, each.find(' ')) + " ";
        return all;
    };
    EXPECT_EQ(named(R"({"topology": "parallel", "skip_mlp": false})"), "model.skip_mlp ");
    EXPECT_EQ(named(R"({"arch": "parallel", "parallel_norm": "separate"})"),
              "model.parallel_norm ");
    EXPECT_EQ(named(R"({"value_source": "skip", "skip_layer": 0, "skip_res": true})"),
              "model.skip_res ");
    EXPECT_EQ(named(R"({"value_source": "skip", "skip_ratio": 1, "skip_res": true})"),
              "model.skip_res ");
    EXPECT_EQ(named(R"({"value": ["linear", "linear", "nonlinear", "nonlinear"], "n_layer": 4,
                        "arch": "yoco", "nv_rank": 5})"),
              "model.value model.nv_rank ");
    EXPECT_EQ(named(R"({"arch": "mla", "d_head": 8, "mla": {"d_nope": 16, "d_v": 16}})"),
              "model.d_head ");
    EXPECT_EQ(named(R"({"arch": "mla", "d_head": 8})"), "");
    EXPECT_EQ(named(R"({"n_layer": 2, "n_head": 1, "d_model": 8, "skip_ratio": 0.25,
                        "wiring": {"values": [[[[0, 0]]], [[[0, 0]]]]}})"),
              "model.skip_ratio ");
    EXPECT_THAT(ignored_in(R"({"value_source": "res", "key_source": "cla", "cla_factor": 1})"),
                ElementsAre(HasSubstr("model.key_source = cla shares nothing")));
    const auto of_training = [](const char* train) {
        return ignored_keys(parse_job(
            {{"model", {{"init_std", 0.5}}}, {"train", nlohmann::json::parse(train)}}, ""));
    };
    EXPECT_THAT(of_training(R"({"init_from": "a.safetensors"})"),
                ElementsAre(HasSubstr("model.init_std = 0.5 has no effect")));
    EXPECT_THAT(ignored_keys(
                    parse_job({{"train", {{"checkpoint_every", 0}, {"keep_checkpoints", 2}}}}, "")),
                IsEmpty())
        << "a run that is extended keeps those of its ends";
}

TEST(KeyDifferences, NameTheFieldsThatDifferInTheirOrder) {
    const Job before = parse_job(nlohmann::json::parse(R"({"model": {"preset": "tiny"}})"), "");
    Job after = before;
    EXPECT_THAT(key_differences(before, after), IsEmpty());
    after.seed = 7;
    after.model.query.set(1, after.model.n_layer, QueryMap::kIdentity);
    after.train.steps += 1;
    std::vector<std::string> paths;
    for (const KeyDifference& key : key_differences(before, after))
        paths.push_back(key.field->path);
    EXPECT_THAT(paths, ElementsAre("seed", "model.query", "train.steps"));
    EXPECT_TRUE(find_field("train.steps")->resumable);
    EXPECT_FALSE(find_field("seed")->resumable);
}

TEST(IgnoredKeys, AWiringThatSharesNothingIsSaid) {
    EXPECT_THAT(
        ignored_in(R"({"preset": "tiny", "arch": "skipv1", "n_head": 4, "d_model": 64,
                    "skip_ratio": 0.2})"),
        ElementsAre(AllOf(HasSubstr("model.arch = skipv1 shares nothing between "),
                          HasSubstr("of 4 key/value heads with skip_ratio = 0.2: the model is"))));
    EXPECT_THAT(ignored_in(R"({"preset": "tiny", "arch": "cla", "n_layer": 1})"),
                ElementsAre(HasSubstr("shares nothing between 1 layers")));
    EXPECT_THAT(ignored_in(R"({"preset": "tiny", "arch": "skipv1", "n_head": 4, "d_model": 64,
                            "skip_ratio": 0.25})"),
                IsEmpty());
}

TEST(IgnoredKeys, AMapOfKeysOrValuesThatALayerLacksIsSaid) {
    const std::string four = R"("n_layer": 4, "arch": "yoco", )";
    EXPECT_THAT(
        ignored_in("{" + four + R"("value": ["linear", "nonlinear", "identity", "nonlinear"]})"),
        ElementsAre("model.value has no effect in layers 2, 3 without values of their "
                    "own"));
    EXPECT_THAT(ignored_in("{" + four + R"("key": ["linear", "linear", "linear", "identity"]})"),
                ElementsAre("model.key has no effect in layer 3 without keys of its own"));
    EXPECT_THAT(ignored_in("{" + four + R"("value": ["identity", "identity", "linear", "linear"],
                                           "key": "identity"})"),
                IsEmpty());
    EXPECT_THAT(ignored_in(R"({"n_layer": 2, "n_head": 1, "d_model": 8, "value": "identity",
                               "wiring": {"values": [[[]], [[]]]}})"),
                ElementsAre("model.value has no effect in layers 0, 1 without values of their "
                            "own"));
}

TEST(IgnoredKeys, ACapacityThatDropsNothingIsSaid) {
    const auto with = [](const char* capacity, const char* experts = "8") {
        return ignored_in(fmt::format(R"({{"n_layer": 2, "mlp_experts": {}, "mlp_top_k": {},
                                           "mlp_capacity": {}}})",
                                      experts, experts[0] == '[' ? "[1, 2]" : "2", capacity));
    };
    EXPECT_THAT(with("4"), ElementsAre("model.mlp_capacity = 4 has no effect without mlp_experts "
                                       "> mlp_capacity * mlp_top_k"));
    EXPECT_THAT(with("3.9"), IsEmpty());
    EXPECT_THAT(with("0"), IsEmpty());
    EXPECT_THAT(with("4", "[1, 8]"), testing::SizeIs(1));
    EXPECT_THAT(with("3.9", "[1, 8]"), IsEmpty());
    EXPECT_THAT(ignored_in(R"({"mlp_capacity": 4})"),
                ElementsAre(HasSubstr("has no effect without mlp_experts > 1")));
}

TEST(IgnoredKeys, NoPresetHasAny) {
    for (const Preset& preset : presets())
        EXPECT_THAT(ignored_keys(parse_job({{"model", {{"preset", preset.name}}}}, "")), IsEmpty())
            << preset.name;
}

}  // namespace
}  // namespace headroom
