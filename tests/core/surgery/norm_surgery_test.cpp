#include "core/surgery/norm_surgery.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/device/device.h"
#include "tests/core/surgery/operated_model.h"

namespace headroom {
namespace {

using testing::HasSubstr;

const std::vector<int32_t> kTokens{1, 17, 0, 3, 28, 9, 3};

class NormSurgery : public testing::Test {
  protected:
    std::vector<double> logits(const WeightSource& weights) {
        return LoadedModel(weights, DType::kF64, std::ssize(kTokens), *device_)
            .logits<double>(kTokens);
    }
    void expect_same_logits(const WeightSource& a, const WeightSource& b) {
        const std::vector<double> x = logits(a), y = logits(b);
        for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-10 * (1 + std::abs(x[i])));
    }
    std::map<std::string, double> scales_of(const WeightSource& source) {
        return measure_norm_scales(source, kTokens, std::ssize(kTokens), *device_);
    }
    static std::shared_ptr<WeightSource> frozen(const std::shared_ptr<const WeightSource>& source,
                                                const SurgeryRequest& request) {
        return operated(source,
                        plan_surgery(source->config(), find_surgery("freeze-norms"), request));
    }
    std::shared_ptr<WeightSource> frozen(const std::shared_ptr<RandomWeights>& source) {
        return frozen(source, {.norm_scales = scales_of(*source)});
    }

    std::unique_ptr<Device> device_ = make_cpu_device();
};

TEST_F(NormSurgery, FoldsGainsOfEveryNormWithoutChangingALogit) {
    for (const char* keys :
         {R"({"tie": false})", R"({"norm": "rmsnorm", "mlp": "swiglu", "tie": false})",
          R"({"norm": "dyt", "tie": false})", R"({"bias": true, "tie": false})",
          R"({"arch": "mla", "mla": {"d_c": 6, "d_r": 2}})",
          R"({"topology": "parallel", "tie": false})",
          R"({"topology": "parallel", "parallel_norm": "separate", "bias": true, "tie": false})",
          R"({"share_layers": true, "tie": false})",
          R"({"hyper": "hc", "n_stream": 2, "tie": false})",
          R"({"mlp_experts": 4, "bias": true, "tie": false})",
          R"({"mlp_experts": [1, 3, 2], "mlp_capacity": 0.5, "norm": "dyt", "tie": false})",
          R"({"mlp_experts": 2, "norm": "rmsnorm", "mlp": "swiglu", "topology": "parallel",
              "tie": false})",
          R"({"mlp_experts": 3, "mlp_top_k": 1, "topology": "parallel",
              "parallel_norm": "separate", "tie": false})"}) {
        SCOPED_TRACE(keys);
        const auto source = std::make_shared<RandomWeights>(keys);
        const auto folded = operate(source, "fold-norms");
        expect_same_logits(*source, *folded);
        for (const ParameterSpec& spec : folded->specs())
            if (spec.name.find("ln_") != std::string::npos && spec.name.ends_with("weight")) {
                EXPECT_THAT(folded->read<double>(spec.name), testing::Each(1.0));
            }
    }
}

TEST_F(NormSurgery, SaysWhichGainsStay) {
    const auto tied =
        std::make_shared<RandomWeights>(R"({"query": ["identity", "linear", "linear"]})");
    const SurgeryPlan plan = plan_of(*tied, "fold-norms");
    ASSERT_EQ(plan.notes.size(), 2u);
    EXPECT_THAT(plan.notes[0], HasSubstr("h.0.ln_1 stays: query = identity"));
    EXPECT_THAT(plan.notes[1], HasSubstr("ln_f stays: the head is the embedding's transpose"));
    const auto folded = operate(tied, "fold-norms");
    expect_same_logits(*tied, *folded);
    EXPECT_EQ(folded->read<double>("ln_f.weight"), tied->read<double>("ln_f.weight"));
    expect_same_logits(*tied, *operate(tied, "fold-norms untie"));
    const RandomWeights none(R"({"arch": "no_norm"})");
    EXPECT_THAT(plan_of(none, "fold-norms").refusal, HasSubstr("no norms"));
}

TEST_F(NormSurgery, FreezesExactlyWhatIsConstant) {
    // Rows of one length and mean through blocks that add nothing: every norm has one scale.
    for (const char* norm : {"layernorm", "rmsnorm"}) {
        const auto source = std::make_shared<RandomWeights>(
            std::string(R"({"pos": "none", "tie": false, "norm": ")") + norm + "\"}");
        for (const ParameterSpec& spec : source->specs()) {
            std::vector<double>& numbers = (*source)[spec.name];
            if (spec.name.ends_with("attn.o.weight") || spec.name.ends_with("mlp.down.weight"))
                std::fill(numbers.begin(), numbers.end(), 0.0);
            if (spec.name == "wte.weight")
                for (size_t i = 0; i < numbers.size(); ++i)
                    numbers[i] = i / 16 * 7 % 16 == i % 16 ? 2.0 : -0.25;
        }
        const auto without = frozen(source);
        EXPECT_EQ(without->config().norm, NormKind::kNone);
        const std::vector<double> x = logits(*source), y = logits(*without);
        for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-5);
    }
}

TEST_F(NormSurgery, MakesTheExactSurgeriesPossible) {
    for (const char* keys : {R"({"tie": false})", R"({"tie": false, "bias": true})",
                             R"({"norm": "dyt", "bias": true, "tie": false})",
                             R"({"norm": "rmsnorm", "mlp": "swiglu", "tie": false})",
                             R"({"mlp_experts": 3, "tie": false})",
                             R"({"mlp_experts": 4, "norm": "rmsnorm", "mlp": "swiglu",
                                 "tie": false})"}) {
        const auto source = std::make_shared<RandomWeights>(keys);
        EXPECT_FALSE(plan_of(*source, "remove-one k 1").applies());
        const std::shared_ptr<WeightSource> without = frozen(source);
        EXPECT_TRUE(std::isfinite(logits(*without).front()));
        const SurgeryPlan plan = plan_of(*without, "remove-one k 1");
        EXPECT_EQ(plan.refusal, "");
        EXPECT_EQ(SurgeryNumbers(*without).refusal(plan), "");
        expect_same_logits(*without, *operated(without, plan));
    }
}

TEST_F(NormSurgery, MeasuresTheScaleOfARowOfKnownDeviation) {
    RandomWeights source(R"({"n_layer": 1, "pos": "none", "tie": false, "norm": "layernorm"})");
    std::vector<double>& table = source["wte.weight"];
    for (size_t i = 0; i < table.size(); ++i) table[i] = i % 2 == 0 ? 3 : -1;  // deviation 2
    const auto scales = measure_norm_scales(source, kTokens, std::ssize(kTokens), *device_);
    EXPECT_NEAR(scales.at("h.0.ln_1"), 0.5, 1e-5);
    EXPECT_EQ(scales.size(), 3u);
}

TEST_F(NormSurgery, FreezesLayerByLayerWhatItFreezesAtOnce) {
    for (const char* keys : {R"({"tie": false})", R"({"tie": false, "bias": true})",
                             R"({"norm": "rmsnorm", "mlp": "swiglu", "tie": false})",
                             R"({"tie": false, "topology": "parallel"})",
                             R"({"tie": false, "mlp_experts": [3, 1, 2]})",
                             R"({"tie": false, "mlp_experts": 3, "norm": "rmsnorm"})",
                             R"({"tie": false, "topology": "parallel", "bias": true,
                                 "parallel_norm": "separate"})"}) {
        SCOPED_TRACE(keys);
        const auto source = std::make_shared<RandomWeights>(keys);
        const std::map<std::string, double> scales = scales_of(*source);
        const bool final_bias = source->config().bias;
        std::shared_ptr<const WeightSource> chain = source;
        if (final_bias)  // ln_f first, while all norms are there
            chain = operated(chain, plan_freeze_norms(source->config(), source->config().norm,
                                                      NormKind::kNone, {.norm_scales = scales}));
        for (const int layer : {1, 0, 2})
            chain = frozen(chain, {.layer = layer, .norm_scales = scales});
        EXPECT_EQ(chain->config().norm, NormKind::kNone);
        if (!final_bias) chain = frozen(chain, {.norm_scales = scales});
        expect_same_logits(*frozen(source, {.norm_scales = scales}), *chain);
    }
}

TEST_F(NormSurgery, FreezesTheNormsOfOneLayerExactlyWhereTheyScaleAllRowsAlike) {
    // What layer 0 reads are rows of one deviation around a mean; only its MLP adds to them.
    for (const char* keys :
         {R"({"pos": "none"})", R"({"pos": "none", "tie": false, "norm_f": "rmsnorm"})",
          R"({"pos": "none", "tie": false})", R"({"pos": "none", "norm": "rmsnorm"})",
          R"({"pos": "none", "tie": false, "mlp_experts": 3})",
          R"({"pos": "none", "norm": "rmsnorm", "mlp": "swiglu", "mlp_experts": 4,
              "mlp_capacity": 0.5})"}) {
        SCOPED_TRACE(keys);
        const auto source = std::make_shared<RandomWeights>(keys);
        for (size_t i = 0; i < (*source)["wte.weight"].size(); ++i)
            (*source)["wte.weight"][i] = i / 16 * 7 % 16 == i % 16 ? 2.0 : -0.25;
        for (double& x : (*source)["h.0.attn.o.weight"]) x = 0;
        const auto without = frozen(source, {.layer = 0, .norm_scales = scales_of(*source)});
        EXPECT_EQ(without->config().norm.at(0), NormKind::kNone);
        EXPECT_EQ(without->config().norm.at(1), source->config().norm.at(1));
        EXPECT_FALSE(without->has("h.0.ln_2.weight"));
        const std::vector<double> x = logits(*source), y = logits(*without);
        for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-5);
        EXPECT_FALSE(plan_of(*without, "freeze-norms 0").applies());
    }
}

TEST_F(NormSurgery, GivesTheBiasOfTheLastNormToEveryExpert) {
    const auto source = std::make_shared<RandomWeights>(
        R"({"pos": "none", "tie": false, "bias": true, "mlp_experts": [1, 1, 3]})");
    for (const ParameterSpec& spec : source->specs()) {  // ln_f reads rows of one deviation
        std::vector<double>& numbers = (*source)[spec.name];
        for (const char* part : {"attn.o.weight", "attn.o.bias", "down.weight", "down.bias"})
            if (spec.name.ends_with(part)) std::fill(numbers.begin(), numbers.end(), 0.0);
        if (spec.name == "wte.weight")
            for (size_t i = 0; i < numbers.size(); ++i)
                numbers[i] = i / 16 * 7 % 16 == i % 16 ? 2.0 : -0.25;
    }
    const ModelConfig& model = source->config();
    const SurgeryRequest request{.norm_scales = scales_of(*source)};
    const auto without =
        operated(source, plan_freeze_norms(model, model.norm, NormKind::kNone, request));
    EXPECT_NE(without->read<double>("h.2.mlp.experts.2.down.bias"),
              source->read<double>("h.2.mlp.experts.2.down.bias"));
    const std::vector<double> x = logits(*source), y = logits(*without);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-5);
    ModelConfig crowded = model;
    crowded.mlp_capacity = 1;
    EXPECT_THAT(plan_freeze_norms(crowded, model.norm, NormKind::kNone, request).refusal,
                HasSubstr("mlp_capacity"));
}

TEST_F(NormSurgery, RefusesToFreezeWhatHasToStay) {
    for (const auto& [keys, part] : std::vector<std::pair<std::string, std::string>>{
             {"{}", "tied weights"},
             {R"({"query": "identity", "tie": false})", "query = identity"},
             {R"({"norm": "dyt", "tie": false})", "DyT"},
             {R"({"hyper": "hc", "tie": false})", "hyper-connections"},
             {R"({"norm_f": "none", "norm": ["none", "none", "none"]})", "no norms"},
             {R"({"norm": "rmsnorm", "norm_f": "layernorm", "bias": true, "tie": false})",
              "the head has no bias"},
             {R"({"norm": "dyt", "bias": true, "mlp_experts": [1, 2, 1], "tie": false})",
              "h.1.ln_2 cannot go: the router of layer 1"},
             {R"({"bias": true, "topology": "parallel", "mlp_experts": 2, "tie": false})",
              "h.0.ln_1 cannot go: the router of layer 0"},
             {R"({"arch": "mla", "mla": {"d_c": 8, "d_r": 2}, "norm": "layernorm", "bias": true})",
              "h.0.ln_1 cannot go: the latents of layer 0"},
             {R"({"arch": "skipless"})", "no norms"}})
        EXPECT_THAT(plan_of(RandomWeights(keys), "freeze-norms").refusal, HasSubstr(part)) << keys;
}

}  // namespace
}  // namespace headroom
