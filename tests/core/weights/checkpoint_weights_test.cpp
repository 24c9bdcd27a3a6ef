#include "core/weights/checkpoint_weights.h"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/weights/save_weights.h"
#include "tests/core/weights/interop/foreign_files.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string complaint(const std::filesystem::path& path, const OpenWeightsOptions& options = {}) {
    try {
        CheckpointWeights::open(path, options);
        return "";
    } catch (const UserError& error) {
        return error.what();
    }
}

/// What importing a GPT-2 says after `spoil` changed its tensors.
std::string gpt2_complaint(const std::function<void(FakeTensors&)>& spoil,
                           const std::string& config = kFakeGpt2Config) {
    const TemporaryFolder folder;
    FakeTensors tensors = fake_gpt2(false, true);
    spoil(tensors);
    write_fake_folder(folder.path(), tensors, config);
    return complaint(folder.path());
}

std::string llama_complaint(const std::string& more_config) {
    const TemporaryFolder folder;
    const std::string config = kFakeLlamaConfig;
    write_fake_folder(folder.path(), fake_llama(false),
                      config.substr(0, config.size() - 1) + ", " + more_config + "}");
    return complaint(folder.path());
}

/// Every number of our [in, out] matrix is at [column0 + out] of the foreign one.
void expect_columns(const CheckpointWeights& weights, const std::string& ours,
                    const FakeTensor& theirs, int64_t column0, bool transposed) {
    const auto spec = std::find_if(weights.specs().begin(), weights.specs().end(),
                                   [&](const ParameterSpec& s) { return s.name == ours; });
    ASSERT_NE(spec, weights.specs().end()) << ours;
    const std::vector<double> values = weights.read<double>(ours);
    const int64_t rows = spec->shape.size() == 1 ? 1 : spec->shape[0], columns = spec->shape.back();
    ASSERT_EQ(static_cast<int64_t>(values.size()), rows * columns) << ours;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
            ASSERT_EQ(values[static_cast<size_t>(i * columns + j)],
                      transposed ? theirs.at(column0 + j, i) : theirs.at(i, column0 + j))
                << ours << " " << i << " " << j;
}

void expect_gpt2_numbers(const CheckpointWeights& weights, const FakeTensors& t, bool transposed,
                         bool bias) {
    const auto matrix = [&](const std::string& ours, const std::string& theirs, int64_t column) {
        expect_columns(weights, ours + ".weight", t.at(theirs + ".weight"), column, transposed);
        if (bias) expect_columns(weights, ours + ".bias", t.at(theirs + ".bias"), column, false);
    };
    expect_columns(weights, "wte.weight", t.at("transformer.wte.weight"), 0, false);
    expect_columns(weights, "wpe.weight", t.at("transformer.wpe.weight"), 0, false);
    for (const char* h : {"h.0.", "h.1."}) {
        const std::string ours = h, theirs = "transformer." + ours;
        matrix(ours + "attn.q", theirs + "attn.c_attn", 0);
        matrix(ours + "attn.k", theirs + "attn.c_attn", 6);
        matrix(ours + "attn.v", theirs + "attn.c_attn", 12);
        matrix(ours + "attn.o", theirs + "attn.c_proj", 0);
        matrix(ours + "mlp.up", theirs + "mlp.c_fc", 0);
        matrix(ours + "mlp.down", theirs + "mlp.c_proj", 0);
        expect_columns(weights, ours + "ln_2.weight", t.at(theirs + "ln_2.weight"), 0, false);
    }
}

TEST(CheckpointWeights, ReadsHuggingFaceGpt2) {
    const TemporaryFolder folder;
    FakeTensors tensors = fake_gpt2(false, true);
    // What real files carry beside the weights.
    add_fake(tensors, "transformer.h.0.attn.bias", {1, 1, 5, 5});
    add_fake(tensors, "transformer.h.1.attn.masked_bias", {1});
    tensors["lm_head.weight"] = tensors["transformer.wte.weight"];
    write_fake_folder(folder.path(), tensors, kFakeGpt2Config);
    const CheckpointWeights weights = CheckpointWeights::open(folder.path());
    EXPECT_EQ(weights.format(), "hf-gpt2");
    EXPECT_EQ(weights.config().mlp, MlpKind::kGeluTanh);
    EXPECT_EQ(weights.config().block_size, 5);
    EXPECT_TRUE(weights.config().bias && weights.config().tie);
    EXPECT_THAT(weights.notes(), IsEmpty());
    expect_gpt2_numbers(weights, tensors, false, true);
}

TEST(CheckpointWeights, ReadsGpt2WithoutThePrefix) {
    const TemporaryFolder folder;
    FakeTensors bare;
    for (const auto& [name, tensor] : fake_gpt2(false, true))
        bare[name.substr(std::string("transformer.").size())] = tensor;
    write_fake_folder(folder.path(), bare, kFakeGpt2Config);
    expect_gpt2_numbers(CheckpointWeights::open(folder.path()), fake_gpt2(false, true), false,
                        true);
}

TEST(CheckpointWeights, ReadsCompiledNanogptAndAsksForTheHeads) {
    const TemporaryFolder folder;
    const FakeTensors plain = fake_gpt2(true, false);
    FakeTensors tensors;
    for (const auto& [name, tensor] : plain) tensors["_orig_mod." + name] = tensor;
    tensors["_orig_mod.lm_head.weight"] = plain.at("transformer.wte.weight");
    write_fakes(folder / "ckpt.safetensors", tensors);
    EXPECT_THAT(complaint(folder / "ckpt.safetensors"),
                AllOf(HasSubstr("number of heads"), HasSubstr("--set model.n_head=N")));
    const CheckpointWeights weights =
        CheckpointWeights::open(folder / "ckpt.safetensors", {.sets = {"model.n_head=2"}});
    EXPECT_EQ(weights.format(), "nanogpt");
    EXPECT_EQ(weights.config().mlp, MlpKind::kGelu);
    EXPECT_FALSE(weights.config().bias);
    expect_gpt2_numbers(weights, plain, true, false);
}

TEST(CheckpointWeights, TakesNanogptSizesFromModelArgs) {
    const TemporaryFolder folder;
    for (const char* entry : {"model_args", "config"}) {
        write_fakes(folder / "x.safetensors", fake_gpt2(true, true),
                    {{entry, R"({"n_layer": 2, "n_head": 3, "n_embd": 6, "block_size": 5,
                                 "vocab_size": 7, "dropout": 0.0})"}});
        const CheckpointWeights weights = CheckpointWeights::open(folder / "x.safetensors");
        EXPECT_EQ(weights.format(), "nanogpt");
        EXPECT_EQ(weights.config().n_head, 3);
        EXPECT_TRUE(weights.config().bias);
    }
}

TEST(CheckpointWeights, TakesATiedEmbeddingFromTheHead) {
    const TemporaryFolder folder;
    FakeTensors tensors = fake_gpt2(false, true);
    auto node = tensors.extract("transformer.wte.weight");
    node.key() = "lm_head.weight";
    tensors.insert(std::move(node));
    write_fake_folder(folder.path(), tensors, kFakeGpt2Config);
    expect_columns(CheckpointWeights::open(folder.path()), "wte.weight",
                   tensors.at("lm_head.weight"), 0, false);
}

TEST(CheckpointWeights, RefusesATiedHeadThatDiffers) {
    const TemporaryFolder folder;
    FakeTensors tensors = fake_gpt2(false, true);
    add_fake(tensors, "lm_head.weight", {7, 6});
    write_fake_folder(folder.path(), tensors, kFakeGpt2Config);
    EXPECT_THAT(complaint(folder.path()), HasSubstr("differs from"));
    const CheckpointWeights untied =
        CheckpointWeights::open(folder.path(), {.sets = {"model.tie=false"}});
    expect_columns(untied, "lm_head.weight", tensors.at("lm_head.weight"), 0, true);
}

TEST(CheckpointWeights, ReadsHuggingFaceLlama) {
    const TemporaryFolder folder;
    FakeTensors t = fake_llama(false);
    add_fake(t, "model.layers.0.self_attn.rotary_emb.inv_freq", {2});
    write_fake_folder(folder.path(), t, kFakeLlamaConfig);
    const CheckpointWeights weights = CheckpointWeights::open(folder.path());
    const ModelConfig& config = weights.config();
    EXPECT_EQ(weights.format(), "hf-llama");
    EXPECT_EQ(config.n_kv_head, 1);
    EXPECT_EQ(config.d_head, 4);
    EXPECT_EQ(config.norm_eps, 1e-5);
    EXPECT_EQ(config.rope_theta, 5000.0);
    EXPECT_EQ(config.rope_style, RopeStyle::kHalf);
    EXPECT_FALSE(config.tie);
    const auto expect = [&](const char* ours, const char* theirs) {
        expect_columns(weights, ours, t.at(theirs), 0, true);
    };
    expect("h.1.attn.q.weight", "model.layers.1.self_attn.q_proj.weight");
    expect("h.1.attn.k.weight", "model.layers.1.self_attn.k_proj.weight");
    expect("h.1.attn.v.weight", "model.layers.1.self_attn.v_proj.weight");
    expect("h.0.attn.o.weight", "model.layers.0.self_attn.o_proj.weight");
    expect("h.0.mlp.gate.weight", "model.layers.0.mlp.gate_proj.weight");
    expect("h.0.mlp.up.weight", "model.layers.0.mlp.up_proj.weight");
    expect("h.0.mlp.down.weight", "model.layers.0.mlp.down_proj.weight");
    expect("lm_head.weight", "lm_head.weight");
    expect_columns(weights, "ln_f.weight", t.at("model.norm.weight"), 0, false);
}

TEST(CheckpointWeights, InfersLlamaWithoutAConfigAndSaysWhatIsAssumed) {
    const TemporaryFolder folder;
    write_fakes(folder / "model.safetensors", fake_llama(true));
    const CheckpointWeights weights =
        CheckpointWeights::open(folder / "model.safetensors", {.sets = {"model.d_head=4"}});
    EXPECT_EQ(weights.config().n_head, 2);
    EXPECT_EQ(weights.config().n_kv_head, 1);
    EXPECT_EQ(weights.config().d_ff, 10);
    EXPECT_TRUE(weights.config().tie);
    EXPECT_THAT(weights.notes(),
                ElementsAre(AllOf(HasSubstr("rope_theta = 10000.0"), HasSubstr("norm_eps = 1e-06")),
                            HasSubstr("block_size = 2048")));
}

TEST(CheckpointWeights, GivesZeroBiasesWhereLlamaHasNone) {
    const TemporaryFolder folder;
    FakeTensors t = fake_llama(false);
    for (int i = 0; i < 2; ++i)
        for (const auto& [name, width] : {std::pair("q", 8), {"k", 4}, {"v", 4}})
            add_fake(t, fmt::format("model.layers.{}.self_attn.{}_proj.bias", i, name), {width});
    std::string config = kFakeLlamaConfig;
    config.replace(config.find("\"llama\""), 7, "\"qwen2\"");
    write_fake_folder(folder.path(), t, config);
    const CheckpointWeights weights = CheckpointWeights::open(folder.path());
    expect_columns(weights, "h.1.attn.k.bias", t.at("model.layers.1.self_attn.k_proj.bias"), 0,
                   false);
    EXPECT_EQ(weights.read<float>("h.0.attn.o.bias"), std::vector<float>(6, 0.0f));
    EXPECT_EQ(weights.read<float>("h.0.mlp.gate.bias"), std::vector<float>(10, 0.0f));
}

TEST(CheckpointWeights, RefusesLlamasThatComputeSomethingElse) {
    EXPECT_EQ(llama_complaint("\"rope_scaling\": null"), "");
    EXPECT_THAT(llama_complaint(R"("rope_scaling": {"rope_type": "llama3", "factor": 8})"),
                HasSubstr("scales the rotary angles"));
    EXPECT_THAT(llama_complaint(R"("rope_parameters": {"rope_type": "yarn"})"),
                HasSubstr("scales the rotary angles"));
    EXPECT_THAT(llama_complaint("\"partial_rotary_factor\": 0.5"), HasSubstr("part of each head"));
    EXPECT_THAT(llama_complaint("\"hidden_act\": \"gelu_pytorch_tanh\""), HasSubstr("hidden_act"));
    EXPECT_THAT(llama_complaint("\"quantization_config\": {}"), HasSubstr("quantization_config"));
    EXPECT_THAT(llama_complaint("\"attention_bias\": true"),
                HasSubstr("tensor \"model.layers.0.self_attn.q_proj.bias\" is missing"));
    EXPECT_THAT(llama_complaint("\"mlp_bias\": 1"), HasSubstr("neither true nor false"));
}

/// Whether columns of ours, head by head, are those of the fused matrix: of each head `part` (0 q,
/// 1 k, 2 v) of three.
void expect_head_columns(const CheckpointWeights& weights, const std::string& ours,
                         const FakeTensor& fused, int part) {
    constexpr int64_t kNHead = 2, kDHead = 6;
    const std::vector<double> values = weights.read<double>(ours);
    const bool is_bias = fused.shape.size() == 1;
    const int64_t rows = is_bias ? 1 : fused.shape[1];
    ASSERT_EQ(std::ssize(values), rows * kNHead * kDHead);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t h = 0; h < kNHead; ++h)
            for (int64_t j = 0; j < kDHead; ++j) {
                const int64_t column = (h * 3 + part) * kDHead + j;
                ASSERT_EQ(values[static_cast<size_t>((i * kNHead + h) * kDHead + j)],
                          is_bias ? fused.at(0, column) : fused.at(column, i))
                    << ours << " " << i << " " << h << " " << j;
            }
}

TEST(CheckpointWeights, ReadsHuggingFaceGptNeox) {
    const TemporaryFolder folder;
    FakeTensors t = fake_neox();
    add_fake(t, "gpt_neox.layers.0.attention.rotary_emb.inv_freq", {1});
    add_fake(t, "gpt_neox.layers.1.attention.masked_bias", {1});
    write_fake_folder(folder.path(), t, kFakeNeoxConfig);
    const CheckpointWeights weights = CheckpointWeights::open(folder.path());
    const ModelConfig& config = weights.config();
    EXPECT_EQ(weights.format(), "hf-neox");
    EXPECT_EQ(config.topology, Topology::kParallel);
    EXPECT_EQ(config.parallel_norm, ParallelNorm::kSeparate);
    EXPECT_EQ(config.rope_dim, 4);
    EXPECT_EQ(config.rope_theta, 5000.0);
    EXPECT_EQ(config.norm_eps, 1e-6);
    EXPECT_FALSE(config.tie);
    EXPECT_TRUE(config.skip_attn.at(0));
    for (const int part : {0, 1, 2})
        for (const char* kind : {"weight", "bias"})
            expect_head_columns(
                weights, fmt::format("h.1.attn.{}.{}", "qkv"[part], kind),
                t.at(fmt::format("gpt_neox.layers.1.attention.query_key_value.{}", kind)), part);
    expect_columns(weights, "h.0.attn.o.weight", t.at("gpt_neox.layers.0.attention.dense.weight"),
                   0, true);
    expect_columns(weights, "h.0.ln_2.bias",
                   t.at("gpt_neox.layers.0.post_attention_layernorm.bias"), 0, false);
    expect_columns(weights, "h.0.mlp.up.weight", t.at("gpt_neox.layers.0.mlp.dense_h_to_4h.weight"),
                   0, true);
    expect_columns(weights, "lm_head.weight", t.at("embed_out.weight"), 0, true);
}

std::string neox_complaint(const std::string& key, const std::string& value) {
    const TemporaryFolder folder;
    auto config = nlohmann::json::parse(kFakeNeoxConfig);
    config[key] = nlohmann::json::parse(value);
    write_fake_folder(folder.path(), fake_neox(), config.dump());
    return complaint(folder.path());
}

TEST(CheckpointWeights, RefusesGptNeoxsThatComputeSomethingElse) {
    EXPECT_EQ(neox_complaint("rope_scaling", "null"), "");
    EXPECT_EQ(neox_complaint("use_parallel_residual", "false"), "");
    EXPECT_EQ(neox_complaint("rope_parameters", R"({"partial_rotary_factor": 1.0})"), "");
    EXPECT_EQ(neox_complaint("rotary_pct", "0"), "");
    EXPECT_THAT(neox_complaint("rope_scaling", R"({"type": "linear", "factor": 2})"),
                HasSubstr("scales the rotary angles"));
    EXPECT_THAT(neox_complaint("rotary_pct", "0.25"), HasSubstr("model.rope_dim = 1 is odd"));
    EXPECT_THAT(neox_complaint("rotary_pct", "1.5"), HasSubstr("rotary_pct"));
    EXPECT_THAT(neox_complaint("hidden_act", "\"mish\""), HasSubstr("hidden_act"));
    EXPECT_THAT(neox_complaint("model_type", "\"gpt_neox_japanese\""), HasSubstr("model_type"));
    EXPECT_THAT(neox_complaint("hidden_size", "null"), HasSubstr("config.json"));
    EXPECT_THAT(neox_complaint("attention_bias", "false"), HasSubstr("does not belong"));
}

TEST(CheckpointWeights, AsksForTheConfigOfAGptNeox) {
    const TemporaryFolder folder;
    write_fakes(folder / "model.safetensors", fake_neox());
    EXPECT_THAT(complaint(folder / "model.safetensors"),
                AllOf(HasSubstr("model.safetensors"), HasSubstr("config.json")));
}

TEST(CheckpointWeights, TakesATiedGptNeoxFromEitherName) {
    for (const char* gone : {"embed_out.weight", "gpt_neox.embed_in.weight"}) {
        const TemporaryFolder folder;
        FakeTensors t = fake_neox();
        t.erase(gone);
        auto config = nlohmann::json::parse(kFakeNeoxConfig);
        config["tie_word_embeddings"] = true;
        write_fake_folder(folder.path(), t, config.dump());
        EXPECT_EQ(complaint(folder.path()), "");
    }
}

TEST(CheckpointWeights, SuggestsATiedHeadWhereNoneIsThere) {
    const TemporaryFolder folder;
    write_fake_folder(folder.path(), fake_llama(true), kFakeLlamaConfig);
    EXPECT_THAT(complaint(folder.path()),
                AllOf(HasSubstr("lm_head.weight is missing"), HasSubstr("model.tie=true")));
    EXPECT_EQ(complaint(folder.path(), {.sets = {"model.tie=true"}}), "");
}

TEST(CheckpointWeights, LimitsTheSequenceToASlidingWindow) {
    const TemporaryFolder folder;
    std::string config = kFakeLlamaConfig;
    config.replace(config.find("\"llama\""), 7, "\"mistral\", \"sliding_window\": 8");
    write_fake_folder(folder.path(), fake_llama(false), config);
    const CheckpointWeights weights = CheckpointWeights::open(folder.path());
    EXPECT_EQ(weights.config().block_size, 8);
    EXPECT_THAT(weights.notes(), ElementsAre(HasSubstr("sliding window of 8")));
    EXPECT_NO_THROW(weights.check_length(8));
    EXPECT_THROW(weights.check_length(9), UserError);
    save_weights(weights, folder / "ours", {});
    EXPECT_NO_THROW(CheckpointWeights::open(folder / "ours").check_length(8));
    EXPECT_THROW(CheckpointWeights::open(folder / "ours").check_length(9), UserError);
    EXPECT_THAT(complaint(folder.path(), {.sets = {"model.block_size=9"}}),
                AllOf(HasSubstr("block_size = 9"), HasSubstr("at most 8")));
}

TEST(CheckpointWeights, NamesTensorsThatAreMissingOrTooMany) {
    EXPECT_EQ(gpt2_complaint([](FakeTensors&) {}), "");
    EXPECT_THAT(gpt2_complaint([](FakeTensors& t) { t.erase("transformer.h.1.mlp.c_fc.weight"); }),
                HasSubstr("tensor \"transformer.h.1.mlp.c_fc.weight\" is missing"));
    EXPECT_THAT(gpt2_complaint([](FakeTensors& t) { t.erase("transformer.h.1.ln_1.bias"); }),
                HasSubstr("tensor \"transformer.h.1.ln_1.bias\" is missing"));
    EXPECT_THAT(gpt2_complaint([](FakeTensors& t) {
                    add_fake(t, "score.weight", {2, 6});
                }),
                HasSubstr("tensor \"score.weight\" does not belong"));
    EXPECT_THAT(gpt2_complaint([](FakeTensors& t) {
                    t["_orig_mod.wte.weight"] = t.at("transformer.wte.weight");
                }),
                HasSubstr("are the same tensor"));
}

TEST(CheckpointWeights, NamesTensorsOfTheWrongShape) {
    const auto reshaped = [](const std::string& name, std::vector<int64_t> shape) {
        return gpt2_complaint([&](FakeTensors& t) { t[name] = fake_tensor(shape, 1); });
    };
    EXPECT_THAT(
        reshaped("transformer.h.1.mlp.c_fc.weight", {10, 6}),
        AllOf(HasSubstr("h.1.mlp.c_fc.weight"), HasSubstr("[10, 6]"), HasSubstr("[6, 10]")));
    EXPECT_THAT(reshaped("transformer.ln_f.weight", {1, 6}), HasSubstr("ln_f.weight"));
    EXPECT_THAT(reshaped("transformer.h.0.attn.c_attn.bias", {}), HasSubstr("c_attn.bias"));
    EXPECT_THAT(reshaped("transformer.wte.weight", {7}), HasSubstr("wte.weight"));
}

TEST(CheckpointWeights, RefusesWeightsThatAreNoFloats) {
    const TemporaryFolder folder;
    const std::vector<int32_t> ones(7, 1);
    const std::vector<TensorToWrite> tensors{tensor_to_write<int32_t>("wte.weight", {7, 1}, ones),
                                             tensor_to_write<int32_t>("wpe.weight", {7, 1}, ones)};
    write_safetensors(folder / "x", {{"config", R"({"n_layer": 1, "n_head": 1, "d_model": 1,
                                       "vocab_size": 7, "block_size": 7})"}},
                      tensors);
    EXPECT_THAT(complaint(folder / "x"), HasSubstr("type I32"));
}

TEST(CheckpointWeights, ChecksOurOwnFilesBeforeAllocatingAnything) {
    const TemporaryFolder folder;
    const auto with_config = [&](const std::string& config) {
        write_safetensors(folder / "x", {{"config", config}}, std::vector<TensorToWrite>{});
        return complaint(folder / "x");
    };
    EXPECT_THAT(with_config(R"({"n_layer": 200, "n_head": 1, "d_model": 131072,
                                "d_ff": 1048576, "vocab_size": 16777216})"),
                HasSubstr("\"wte.weight\" is missing"));
    EXPECT_THAT(with_config(R"({"vocab_size": 0})"), HasSubstr("vocab_size = 0"));
}

TEST(CheckpointWeights, RefusesConfigsThatSayTheWrongThing) {
    const auto none = [](FakeTensors&) {};
    EXPECT_THAT(gpt2_complaint(none, "[]"), HasSubstr("config.json"));
    EXPECT_THAT(gpt2_complaint(none, R"({"n_head": "two"})"),
                AllOf(HasSubstr("config.json"), HasSubstr("n_head"), HasSubstr("whole number")));
    EXPECT_THAT(gpt2_complaint(none, R"({"n_head": 1e400})"), HasSubstr("config.json"));
    EXPECT_THAT(gpt2_complaint(none, R"({"n_head": -2})"), HasSubstr("n_head"));
    EXPECT_THAT(gpt2_complaint(none, R"({"n_head": 2, "n_layer": 1000000000000})"),
                HasSubstr("n_layer"));
    EXPECT_THAT(gpt2_complaint(none, R"({"n_head": 2, "scale_attn_by_inverse_layer_idx": true})"),
                HasSubstr("scale_attn_by_inverse_layer_idx"));
    EXPECT_THAT(gpt2_complaint(none, R"({"n_head": 2, "activation_function": "quick_gelu"})"),
                HasSubstr("quick_gelu"));
    EXPECT_EQ(gpt2_complaint(none, R"({"n_head": 2, "n_inner": null})"), "");
}

TEST(CheckpointWeights, SaysWhichFormatsItKnows) {
    const TemporaryFolder folder;
    write_fakes(folder / "x.safetensors", {{"gpt_neox.layers.0.x", fake_tensor({1}, 1)}});
    EXPECT_THAT(complaint(folder / "x.safetensors"),
                AllOf(HasSubstr("gpt_neox.layers.0.x"), HasSubstr("nanogpt, hf-gpt2, hf-llama")));
    EXPECT_THAT(complaint(folder / "x.safetensors", {.format = "hf-gtp2"}),
                HasSubstr("did you mean \"hf-gpt2\""));
}

}  // namespace
}  // namespace headroom
