#include "core/config/model_check.h"

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

ModelConfig model_of(const std::string& text) {
    return parse_model_config(json::parse(text), "");
}

TEST(CheckSupported, AcceptsEveryModelWhoseHeadsReadOneSource) {
    for (const char* text :
         {"{}",
          R"({"arch": "wq_identity"})",
          R"({"arch": "skipv1"})",
          R"({"arch": "svformer"})",
          R"({"arch": "skipkv1", "skip_ratio": 0.25})",
          R"({"arch": "yoco"})",
          R"({"arch": "yoco_v"})",
          R"({"arch": "cla", "cla_factor": 3})",
          R"({"arch": "cla_v"})",
          R"({"arch": "skipv1_yoco"})",
          R"({"arch": "skipv1", "inject": "oddeven"})",
          R"({"arch": "skipv1", "inject": "dynamic"})",
          R"({"arch": "skipv1", "skip_layer": 3})",
          R"({"arch": "gqa", "base": "gpt2"})",
          R"({"arch": "mqa", "base": "gpt2"})",
          R"({"arch": "skipv1_gqa", "base": "gpt2"})",
          R"({"arch": "skipless"})",
          R"({"arch": "no_norm"})",
          R"({"arch": "attn_skip_only"})",
          R"({"key": "identity"})",
          R"({"value": "identity", "out_proj": "identity"})",
          R"({"base": "llama", "pos": "none"})",
          R"({"mlp": "reglu", "tie": false})",
          R"({"arch": "resformer", "res_lambda": 0})",
          R"({"wiring": {"values": ["own",0,"own",2,"own",4,"own",6,"own",8,"own",10]}})"})
        EXPECT_NO_THROW(check_supported(model_of(text))) << text;
}

TEST(CheckSupported, NamesWhatIsNotInThisVersion) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {R"({"norm": "dyt"})", "dyt"},
        {R"({"base": "llama"})", "model.pos = rope"},
        {R"({"arch": "mla", "base": "gpt2"})", "model.mla"},
        {R"({"query": "residual"})", "model.query = residual"},
        {R"({"query": "nonlinear"})", "model.query = nonlinear"},
        {R"({"qk_norm": true})", "model.qk_norm"},
        {R"({"arch": "parallel"})", "model.topology = parallel"},
        {R"({"share_layers": true})", "model.share_layers"},
        {R"({"arch": "denseformer"})", "model.dense"},
        {R"({"bias": true})", "model.bias"},
        {R"({"causal": false})", "model.causal"},
        {R"({"hyper": "hc"})", "model.hyper"},
        {R"({"arch": "resformer", "res_lambda": "learned"})", "weighted mixture"},
        {R"({"arch": "resformer"})", "values[1][0] reads a weighted mixture"},
        {R"({"arch": "skipv1", "inject": "pool"})", "values[1][6] reads a weighted mixture"},
        {R"({"arch": "skipv1", "skip_res": true})", "values[1][0] reads a weighted mixture"},
        {R"({"arch": "skipv1", "skip_layer": 0})", "values[1][6] reads nothing"},
    };
    for (const auto& refused : cases)
        EXPECT_THAT([&] { check_supported(model_of(refused.first)); },
                    ThrowsMessage<UserError>(AllOf(HasSubstr("is not in this version yet"),
                                                   HasSubstr(refused.second), HasSubstr("; "))))
            << refused.first;
}

}  // namespace
}  // namespace headroom
