#include "core/config/per_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/key_error.h"
#include "core/config/job_json.h"
#include "core/config/set_key.h"
#include "tests/support/model_configs.h"

// Keys that take one word for all layers or a list with one entry per layer.

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(PerLayer, EntriesThatAgreeAreOneWord) {
    PerLayer<int> choice = PerLayer<int>::of({2, 2, 2});
    EXPECT_EQ(choice, 2);
    EXPECT_TRUE(choice.fits(3) && choice.fits(4));
    choice.set(1, 3, 5);
    EXPECT_THAT(choice.entries(), ElementsAre(2, 5, 2));
    EXPECT_EQ(choice.word(), std::nullopt);
    EXPECT_TRUE(choice.fits(3) && !choice.fits(4));
    EXPECT_EQ(choice.at(1), 5);
    EXPECT_THROW(choice.at(3), InternalError);
    choice.set(1, 3, 2);
    EXPECT_EQ(choice, 2);
    EXPECT_EQ(choice.at(100), 2);
}

TEST(PerLayer, AListIsReadAndWrittenAndAnEqualOneIsWrittenAsAWord) {
    const ModelConfig model = model_of(R"({"n_layer": 3, "query": ["linear", "identity", "linear"],
        "mlp": ["gelu", "gelu", "swiglu"], "skip_mlp": [true, true, true],
        "skip_attn": [false, true, true]})");
    EXPECT_EQ(model.layer(1).query, QueryMap::kIdentity);
    EXPECT_EQ(model.layer(2).query, QueryMap::kLinear);
    EXPECT_EQ(model.layer(2).mlp, MlpKind::kSwiglu);
    EXPECT_FALSE(model.layer(0).skip_attn);
    const json keys = to_json(model);
    EXPECT_EQ(keys.at("query"), json::parse(R"(["linear", "identity", "linear"])"));
    EXPECT_EQ(keys.at("skip_attn"), json::parse("[false, true, true]"));
    EXPECT_EQ(keys.at("skip_mlp"), json(true));
    EXPECT_EQ(keys.at("key"), json("linear"));
    EXPECT_EQ(parse_model_config(keys, ""), model);
}

TEST(PerLayer, SetTakesAWordAndAList) {
    json document = json::parse(R"({"model": {"n_layer": 2}})");
    apply_set(document, R"(model.query=["linear","identity"])");
    EXPECT_EQ(parse_job(document, "").model.query.at(1), QueryMap::kIdentity);
    apply_set(document, "model.skip_mlp=[true,false]");
    EXPECT_FALSE(parse_job(document, "").model.skip_mlp.at(1));
    apply_set(document, "model.query=identity");
    EXPECT_EQ(parse_job(document, "").model.query, QueryMap::kIdentity);
    EXPECT_THAT([&] { apply_set(document, R"(model.query=["linear","idenity"])"); },
                ThrowsMessage<UserError>(HasSubstr("model.query[1] = \"idenity\" is not known; did "
                                                   "you mean \"identity\"?")));
    EXPECT_THAT([&] { apply_set(document, "model.skip_mlp=[true,1]"); },
                ThrowsMessage<UserError>(HasSubstr("model.skip_mlp[1] = 1 is not a switch")));
    EXPECT_THAT([&] { apply_set(document, "model.key=[]"); },
                ThrowsMessage<UserError>(HasSubstr("give one entry per layer")));
}

TEST(PerLayer, RefusesListsThatFitNoLayersAndNamesTheKeys) {
    const auto keys_of = [](const std::string& text) {
        try {
            model_of(text);
        } catch (const KeyError& error) {
            return error.keys();
        }
        return std::vector<std::string>{};
    };
    EXPECT_THAT([] { model_of(R"({"n_layer": 3, "mlp": ["gelu", "relu"]})"); },
                ThrowsMessage<UserError>("model.mlp has 2 entries, but model.n_layer = 3; give one "
                                         "word, or one entry per layer"));
    EXPECT_THAT(keys_of(R"({"n_layer": 3, "mlp": ["gelu", "relu"]})"),
                ElementsAre("model.mlp", "model.n_layer"));
    EXPECT_THAT(keys_of(R"({"n_layer": 2, "query": ["linear", "identity"], "share_layers": true})"),
                ElementsAre("model.query", "model.share_layers"));
    EXPECT_THAT(keys_of(R"({"n_layer": 2, "value": ["linear", "identity"], "n_kv_head": 4})"),
                ElementsAre("model.value", "model.n_kv_head", "model.n_head"));
    EXPECT_THAT(keys_of(R"({"tie": 1})"), ElementsAre("model.tie"));
}

TEST(PerLayer, TheDefaultScaleLooksAtTheFirstLayer) {
    EXPECT_EQ(model_of(R"({"n_layer": 2, "query": ["linear", "identity"]})").attn_scale, 0.125);
    EXPECT_EQ(model_of(R"({"n_layer": 2, "query": ["identity", "linear"]})").attn_scale, 0.0625);
    EXPECT_EQ(model_of(R"({"n_layer": 2, "key": ["identity", "linear"]})").attn_scale, 0.0625);
    EXPECT_EQ(model_of(R"({"value": "nonlinear"})").attn_scale, 0.125);
}

TEST(PerLayer, FilesWrittenOutBeforeAKeyCameStillFollowAChange) {
    json old_file = to_json(parse_job(json::object(), ""));
    old_file["model"].erase("nv_rank");
    apply_set(old_file, "model.query=identity");
    EXPECT_EQ(parse_job(old_file, "").model.attn_scale, 0.0625);
}

}  // namespace
}  // namespace headroom
