#include "core/surgery/uptrain_model.h"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/conversions.h"
#include "core/config/job_json.h"
#include "core/decode/loaded_model.h"
#include "core/device/device.h"
#include "core/surgery/uptrain.h"
#include "core/weights/checkpoint_weights.h"
#include "core/weights/save_weights.h"
#include "core/wiring/wiring_edit.h"
#include "tests/core/linalg/random_matrix.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

constexpr char kGpt2[] = R"({"arch": "gpt2", "n_layer": 3, "n_head": 4, "d_model": 8,
                             "block_size": 6, "vocab_size": 11})";
constexpr char kGpt2Bias[] = R"({"arch": "gpt2", "n_layer": 3, "n_head": 4, "d_model": 8,
                                 "block_size": 6, "vocab_size": 11, "bias": true})";
constexpr char kLlama[] = R"({"arch": "llama", "n_layer": 2, "n_head": 4, "d_model": 16,
                              "block_size": 6, "vocab_size": 11})";

/// Every conversion that gives another architecture.
std::vector<std::string> all_conversions() {
    std::vector<std::string> names = conversions_to("skipv1");
    for (std::string& name : conversions_to("gqa")) names.push_back(std::move(name));
    return names;
}

ModelConfig config_of(const std::string& json) {
    return parse_model_config(nlohmann::json::parse(json), "");
}

class UptrainModel : public testing::Test {
  protected:
    /// Random tensors, changed by `edit` before they are written.
    CheckpointWeights source(const ModelConfig& config,
                             const std::function<void(const std::string&, Matrix&)>& edit = {}) {
        std::vector<TensorToWrite> tensors;
        std::map<std::string, Matrix> values;
        uint32_t seed = 0;
        for (const ParameterSpec& spec : parameter_specs(config)) {
            Matrix m = random_matrix(spec.count() / spec.shape.back(), spec.shape.back(), ++seed);
            if (edit) edit(spec.name, m);
            values[spec.name] = std::move(m);
            tensors.push_back(
                tensor_to_write<double>(spec.name, spec.shape, values[spec.name].values));
        }
        CheckpointMetadata metadata;
        metadata.config_json = to_json(config).dump();
        metadata.step = 70;
        metadata.tokens = 7000;
        metadata.other["tokenizer"] = "{}";
        write_checkpoint(folder_ / "source.safetensors", metadata, tensors);
        return CheckpointWeights::open(folder_ / "source.safetensors");
    }

    CheckpointWeights converted(const CheckpointWeights& from, const UptrainChoice& choice) {
        const auto weights = uptrain(open_weights(from.path()), choice);
        EXPECT_TRUE(save_weights(*weights, folder_ / "out.safetensors").empty());
        return CheckpointWeights::open(folder_ / "out.safetensors");
    }

    std::vector<double> logits(const CheckpointWeights& weights) {
        LoadedModel model(weights, DType::kF64, 5, *device_);
        return model.logits<double>(std::vector<int32_t>{1, 7, 0, 3, 10});
    }

    void expect_same_logits(const CheckpointWeights& a, const CheckpointWeights& b,
                            double tolerance) {
        const std::vector<double> x = logits(a), y = logits(b);
        ASSERT_EQ(x.size(), y.size());
        for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], tolerance);
    }

    void expect_refused(const std::string& json, const UptrainChoice& choice,
                        const std::string& part) {
        try {
            uptrained_config(config_of(json), choice);
            ADD_FAILURE() << json;
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), HasSubstr(part));
        }
    }

    TemporaryFolder folder_;
    std::unique_ptr<Device> device_ = make_cpu_device();
};

bool is_converted(const std::string& name, const std::string& method) {
    if (method == "mean_kv")
        return name.find(".attn.k.") != std::string::npos ||
               name.find(".attn.v.") != std::string::npos;
    return name.find("h.0.") == std::string::npos && (name.find(".attn.v.") != std::string::npos ||
                                                      name.find(".attn.o.") != std::string::npos);
}

TEST_F(UptrainModel, LeavesTheFirstLayerAndAllOtherTensorsAlone) {
    for (const char* json : {kGpt2, kGpt2Bias, kLlama})
        for (const std::string& method : all_conversions()) {
            const CheckpointWeights before = source(config_of(json));
            const CheckpointWeights after = converted(before, {method});
            EXPECT_EQ(after.specs().size(), before.specs().size());
            int untouched = 0;
            for (const ParameterSpec& spec : after.specs()) {
                if (is_converted(spec.name, method)) continue;
                EXPECT_EQ(after.read<double>(spec.name), before.read<double>(spec.name))
                    << spec.name;
                ++untouched;
            }
            EXPECT_GT(untouched, 10);
        }
}

TEST_F(UptrainModel, WritesTheValuesAndOutputsOfTheMethod) {
    const CheckpointWeights before = source(config_of(kGpt2Bias));
    const auto matrix = [&](const char* name) {
        const std::vector<double> v = before.read<double>(name);
        const int64_t rows = std::string(name).ends_with("bias") ? 1 : 8;
        return Matrix(rows, static_cast<int64_t>(v.size()) / rows, v);
    };
    const ValueOutput layer{matrix("h.2.attn.v.weight"), matrix("h.2.attn.v.bias"),
                            matrix("h.2.attn.o.weight"), matrix("h.2.attn.o.bias")};
    for (const std::string& method : conversions_to("skipv1")) {
        const CheckpointWeights after = converted(before, {method});
        const ValueOutput expected = uptrain_values(method, layer, 4);
        EXPECT_EQ(after.config().wiring.own_value_heads, (std::vector<int>{4, 2, 2}));
        EXPECT_EQ(after.read<double>("h.2.attn.v.weight"), expected.v.values);
        EXPECT_EQ(after.read<double>("h.2.attn.v.bias"), expected.v_bias.values);
        EXPECT_EQ(after.read<double>("h.2.attn.o.weight"), expected.o.values);
        EXPECT_EQ(after.read<double>("h.2.attn.o.bias"), expected.o_bias.values);
    }
}

TEST_F(UptrainModel, AnyWiringOfHalvedLayersConvertsThemAsSkipV1sDoes) {
    const CheckpointWeights before = source(config_of(kGpt2Bias));
    const auto given = open_weights(before.path());
    for (const std::string& method : conversions_to("skipv1")) {
        const auto whole = uptrain(given, {method});
        ModelConfig wanted = given->config();
        wanted.wiring = whole->config().wiring;
        wanted.custom_wiring = true;
        const auto same = uptrain_to(given, method, wanted);
        for (const ParameterSpec& spec : parameter_specs(whole->config()))
            EXPECT_EQ(same->read<double>(spec.name), whole->read<double>(spec.name)) << spec.name;

        wanted.wiring = edited(given->config().wiring, {"values 2.2-3 read 0"}, {});
        const auto one = uptrain_to(given, method, wanted);
        EXPECT_EQ(one->config().wiring, wanted.wiring);
        int converted = 0;
        for (const ParameterSpec& spec : parameter_specs(wanted)) {
            const bool changed = is_converted(spec.name, method) && spec.name.starts_with("h.2.");
            converted += changed ? 1 : 0;
            EXPECT_EQ(one->read<double>(spec.name),
                      (changed ? *whole : *given).read<double>(spec.name))
                << spec.name;
        }
        EXPECT_EQ(converted, 4);
    }
}

TEST_F(UptrainModel, AWiringThatKeepsAnotherPartOfItsValuesIsRefused) {
    const CheckpointWeights before = source(config_of(kGpt2));
    ModelConfig wanted = before.config();
    wanted.custom_wiring = true;
    wanted.wiring = edited(wanted.wiring, {"values 1.3 read 0"}, {});
    try {
        uptrain_to(open_weights(before.path()), "mean_v", wanted);
        ADD_FAILURE() << "three of four heads";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("layer 1"));
    }
}

/// Each half keeps its heads in their order, as the method made them.
TEST_F(UptrainModel, AWiringThatReadsItsOwnHalfInAnotherOrderIsRefused) {
    const CheckpointWeights before = source(config_of(kGpt2));
    ModelConfig wanted = before.config();
    wanted.custom_wiring = true;
    wanted.wiring = edited(wanted.wiring, {"values 1.2-3 read 0"}, {});
    EXPECT_NO_THROW(check_uptrain_to(before.config(), "mean_v", wanted));
    std::swap(wanted.wiring.values[1][0], wanted.wiring.values[1][1]);
    EXPECT_THROW(check_uptrain_to(before.config(), "mean_v", wanted), UserError);
}

TEST_F(UptrainModel, SaysWhereItCameFrom) {
    const CheckpointWeights before = source(config_of(kLlama));
    const CheckpointWeights after = converted(before, {"top_vo"});
    const CheckpointMetadata& metadata = after.metadata();
    EXPECT_EQ(metadata.other.at("uptrained_from"), before.path().string());
    EXPECT_EQ(metadata.other.at("uptrained_with"), "top_vo");
    EXPECT_EQ(metadata.other.at("uptrained_step"), "70");
    EXPECT_EQ(metadata.other.at("uptrained_tokens"), "7000");
    EXPECT_EQ(metadata.other.at("tokenizer"), "{}");
    EXPECT_FALSE(metadata.step.has_value());
    EXPECT_EQ(after.config().arch, "skipv1");
    EXPECT_EQ(after.config().base, "llama");
    EXPECT_EQ(after.config().norm_eps, before.config().norm_eps);
}

/// Makes head h of every column block of the projection equal to head `of(h)`.
void copy_heads(Matrix& m, int64_t n_head, const std::function<int64_t(int64_t)>& of) {
    const int64_t width = m.cols / n_head;
    for (int64_t i = 0; i < m.rows; ++i)
        for (int64_t j = 0; j < m.cols; ++j)
            m.at(i, j) = m.at(i, of(j / width) * width + j % width);
}

TEST_F(UptrainModel, PoolingHeadsThatAreEqualInEveryGroupChangesNoLogit) {
    for (const char* json : {kGpt2, kGpt2Bias, kLlama})
        for (const int64_t groups : {1, 2}) {
            const auto edit = [&](const std::string& name, Matrix& m) {
                if (is_converted(name, "mean_kv"))
                    copy_heads(m, 4, [&](int64_t h) { return h / (4 / groups) * (4 / groups); });
            };
            const CheckpointWeights before = source(config_of(json), edit);
            const CheckpointWeights after = converted(before, {"mean_kv", groups});
            EXPECT_EQ(after.config().n_kv_head, groups);
            expect_same_logits(before, after, 1e-12);
        }
}

TEST_F(UptrainModel, EqualValueHeadsThatTheOutputIgnoresBehindChangeNoLogit) {
    const auto edit = [](const std::string& name, Matrix& m) {
        if (!is_converted(name, "mean_v")) return;
        if (name.find(".attn.v.") != std::string::npos) copy_heads(m, 4, [](int64_t) { return 0; });
        if (name.ends_with(".attn.o.weight"))
            std::fill(m.values.begin() + static_cast<int64_t>(m.values.size() / 2), m.values.end(),
                      0.0);
    };
    for (const char* json : {kGpt2, kGpt2Bias, kLlama}) {
        const CheckpointWeights before = source(config_of(json), edit);
        expect_same_logits(before, converted(before, {"mean_v"}), 1e-12);
        expect_same_logits(before, converted(before, {"top_v"}), 1e-12);
    }
}

TEST_F(UptrainModel, SvdOfAProductOfHalfRankChangesNoLogitWhereHeadsAttendAlike) {
    const auto edit = [](const std::string& name, Matrix& m) {
        if (name.find(".attn.q.") != std::string::npos)
            std::fill(m.values.begin(), m.values.end(), 0.0);  // every head attends uniformly
        if (name.ends_with(".attn.v.weight") && name.find("h.0.") == std::string::npos)
            for (int64_t i = 0; i < m.rows; ++i)
                for (int64_t j = m.cols / 2; j < m.cols; ++j) m.at(i, j) = 0;
    };
    for (const char* json : {kGpt2, kGpt2Bias, kLlama}) {
        const CheckpointWeights before = source(config_of(json), edit);
        expect_same_logits(before, converted(before, {"svd"}), 1e-11);
    }
}

TEST_F(UptrainModel, RefusesWhatIsNotMultiHeadWithTheReason) {
    const auto with = [](const std::string& more) {
        return R"({"n_layer": 2, "n_head": 4, "d_model": 8, "block_size": 6, )" + more + "}";
    };
    const UptrainChoice skip{"mean_v"}, svd{"svd"};
    const UptrainChoice gqa{"mean_kv"};
    for (const UptrainChoice& choice : {skip, gqa}) {
        expect_refused(with(R"("arch": "skipv1")"), choice, "model.value_source = skip");
        expect_refused(with(R"("arch": "yoco")"), choice, "model.key_source = yoco");
        expect_refused(with(R"("arch": "gqa")"), choice, "model.n_kv_head = 2");
        expect_refused(with(R"("arch": "mla")"), choice, "model.mla");
        expect_refused(with(R"("share_layers": true)"), choice, "model.share_layers");
        expect_refused(with(R"("value": "identity")"), choice, "model.value = identity");
    }
    expect_refused(with(R"("out_proj": "identity")"), svd, "model.out_proj = identity: svd");
    expect_refused(with(R"("key": "identity")"), gqa, "model.key = identity");
    expect_refused(R"({"n_layer": 2, "n_head": 3, "d_model": 6})", skip, "model.n_head = 3 is odd");
    expect_refused(R"({"n_layer": 1, "n_head": 2, "d_model": 6})", skip, "model.n_layer = 1");
    for (const int64_t groups : {3, 4, 8})
        expect_refused(kGpt2, {"mean_kv", groups}, "n_kv_head = ");
}

}  // namespace
}  // namespace headroom
