#include "core/config/set_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

json with(json document, const std::string& assignment) {
    apply_set(document, assignment);
    return document;
}

TEST(SetKey, ReadsTheValueAsTheKeysTypeAsks) {
    EXPECT_EQ(with({}, "model.n_layer=6"), json::parse(R"({"model": {"n_layer": 6}})"));
    EXPECT_EQ(with({}, "train.lr=3e-4")["train"]["lr"], 3e-4);
    EXPECT_EQ(with({}, "model.tie=false")["model"]["tie"], false);
    EXPECT_EQ(with({}, "name=7")["name"], "7");
    EXPECT_EQ(with({}, "data.train=text:a=b.txt")["data"]["train"], "text:a=b.txt");
    EXPECT_EQ(with({}, "model.res_lambda=learned")["model"]["res_lambda"], "learned");
    EXPECT_EQ(with({}, R"(model.wiring={"keys": ["own"]})")["model"]["wiring"]["keys"][0], "own");
    EXPECT_EQ(with({}, "model.mla=null")["model"]["mla"], nullptr);
    EXPECT_EQ(with({{"model", {{"n_layer", 4}}}}, "model.n_layer=6")["model"]["n_layer"], 6);
}

TEST(SetKey, RefusesWhatItDoesNotKnow) {
    const auto refused = [](const std::string& assignment, const std::string& part,
                            json document = json::object()) {
        EXPECT_THAT([&] { apply_set(document, assignment); },
                    ThrowsMessage<UserError>(AllOf(HasSubstr(part), HasSubstr("; "))))
            << assignment;
    };
    refused("model.n_layers=6", "did you mean \"model.n_layer\"?");
    refused("n_layer=6", "did you mean \"model.n_layer\"?");
    refused("nonsense=6", "unknown key \"nonsense\"");
    refused("model=6", "unknown key \"model\"");
    refused("model.n_layer", "is not an assignment");
    refused("=6", "is not an assignment");
    refused("model.n_layer=", "model.n_layer = \"\" is not a whole number");
    refused("model.n_layer=six", "model.n_layer = \"six\" is not a whole number");
    refused("model.n_layer=-1", "model.n_layer = -1 is out of range");
    refused("model.arch=skpv1", "did you mean \"skipv1\"?");
    refused("name=\xff", "is not valid UTF-8");
    refused("model.n_layer=6", "\"model\" = 3 is not a section", {{"model", 3}});
    refused("model.n_layer=6", "is not a job", json::array());
}

TEST(SetKey, DerivedKeysFollowInADocumentThatIsWrittenOutInFull) {
    const json full = to_json(parse_job({{"model", {{"preset", "tiny"}}}}, ""));
    const Job identity = parse_job(with(full, "model.query=identity"), "");
    EXPECT_DOUBLE_EQ(identity.model.attn_scale, parse_job(full, "").model.attn_scale / 2);
    const Job wider = parse_job(with(full, "model.d_model=384"), "");
    EXPECT_EQ(wider.model.d_head, 64);
    EXPECT_EQ(wider.model.d_ff, 1536);
    const Job skip = parse_job(with(full, "model.arch=skipv1"), "");
    EXPECT_EQ(skip.model.wiring_choice.value_source, "skip");
    const Job back = parse_job(with(to_json(skip), "model.arch=wq_identity"), "");
    EXPECT_EQ(back.model.wiring_choice.value_source, "own");
    EXPECT_EQ(back.model.query, QueryMap::kIdentity);
}

TEST(SetKey, KeysThatAPersonWroteStay) {
    const json given{{"model", {{"preset", "tiny"}, {"d_ff", 768}}}};
    EXPECT_EQ(parse_job(with(given, "model.d_model=384"), "").model.d_ff, 768);
}

TEST(SetKey, OfAWrittenOutSectionStaysWhatTheRestDoesNotImply) {
    const Job job =
        parse_job({{"name", "x"}, {"model", {{"preset", "tiny"}, {"arch", "skipv1"}}}}, "");
    const json full = to_json(job), same = with(full, "model.n_layer=6");
    EXPECT_EQ(parse_job(same, ""), job);
    EXPECT_EQ(same["model"], json::parse(R"({"arch": "skipv1", "n_layer": 6, "n_head": 6,
                                             "d_model": 192, "block_size": 256})"));
    EXPECT_EQ(same["train"], full["train"]);
    EXPECT_EQ(same["data"], full["data"]);
}

}  // namespace
}  // namespace headroom
