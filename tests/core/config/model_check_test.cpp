#include "core/config/model_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "tests/support/model_configs.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(CheckModel, RefusesWhatContradictsItself) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {R"({"query": "identity", "d_head": 32})", "n_head * d_head = d_model"},
        {R"({"key": "identity", "n_kv_head": 6})", "one key/value head per query head"},
        {R"({"value": "identity", "n_kv_head": 6})", "one key/value head per query head"},
        {R"({"arch": "mla", "qk_norm": true})", "model.qk_norm"},
        {R"({"arch": "mla", "value_source": "cla"})", "model.value_source = cla"},
        {R"({"arch": "skipv1_mla", "inject": "pool"})", "model.inject = pool"},
        {R"({"arch": "skipv1_mla", "skip_layer": 0})", "model.skip_layer = 0"},
        {R"({"arch": "skipv1_mla", "skip_layer": 13})", "choose 1 to 12"},
        {R"({"arch": "mla", "mla": {"d_r": 31}})", "31 is odd"},
        {R"({"pos": "rope", "d_head": 63})", "63 is odd"},
        {R"({"pos": "rope", "rope_dim": 15})", "model.rope_dim = 15 is odd"},
        {R"({"pos": "rope", "rope_dim": 66})", "model.rope_dim = 66 is more than"},
        {R"({"arch": "svformer", "share_layers": true})", "project the same heads"},
        {R"({"arch": "skipv1_mla", "share_layers": true})", "project the same heads"},
        {R"({"arch": "resformer", "share_layers": true, "res_lambda": "learned"})",
         "learned weights"},
        {R"({"hyper": "hc", "dense": true})", "both replace the residual stream"},
        {R"({"hyper": "mhc", "skip_mlp": false})", "its mixing matrix is the skip"},
        {R"({"n_stream": 2})", "has no effect with one residual stream"},
        {R"({"dense": true, "dwa_period": 13})", "leaves no average in 12 layers"},
    };
    for (const auto& refused : cases)
        EXPECT_THAT([&] { model_of(refused.first); },
                    ThrowsMessage<UserError>(AllOf(HasSubstr(refused.second), HasSubstr("; "))))
            << refused.first;
}

TEST(CheckModel, ExplicitNormsBringAFinalNormUnlessThePresetHasNone) {
    EXPECT_EQ(model_of(R"({"arch": "parallel", "norm": "rmsnorm"})").norm_f, NormKind::kRmsNorm);
    EXPECT_EQ(model_of(R"({"arch": "no_norm"})").norm_f, NormKind::kNone);
    EXPECT_EQ(model_of(R"({"arch": "skipless", "norm": "layernorm"})").norm_f, NormKind::kNone);
}

}  // namespace
}  // namespace headroom
