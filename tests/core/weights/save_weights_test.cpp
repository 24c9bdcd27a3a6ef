#include "core/weights/save_weights.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/weights/checkpoint_weights.h"
#include "tests/core/weights/interop/foreign_files.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A checkpoint of ours with made-up weights.
void write_ours(const std::filesystem::path& path, const std::string& config) {
    FakeTensors tensors;
    for (const ParameterSpec& spec :
         parameter_specs(parse_model_config(parse_json(config, ""), "")))
        add_fake(tensors, spec.name, spec.shape);
    write_fakes(path, tensors, {{"config", config}, {"step", "12"}});
}

constexpr char kOurGpt2[] = R"({"n_layer": 2, "n_head": 2, "d_model": 6, "d_ff": 10,
    "vocab_size": 7, "block_size": 5, "mlp": "gelu_tanh", "bias": true})";
constexpr char kOurNanogpt[] =
    R"({"n_layer": 2, "n_head": 2, "d_model": 6, "vocab_size": 7, "block_size": 5})";
constexpr char kOurLlama[] = R"({"arch": "llama", "n_layer": 2, "n_head": 2, "n_kv_head": 1,
    "d_head": 4, "d_model": 6, "d_ff": 10, "vocab_size": 7, "block_size": 5})";

constexpr char kOurNeox[] = R"({"topology": "parallel", "parallel_norm": "separate", "pos": "rope",
    "n_layer": 2, "n_head": 2, "d_model": 12, "rope_dim": 2, "d_ff": 10, "vocab_size": 7,
    "block_size": 5, "bias": true, "tie": false})";

void expect_equal_weights(const CheckpointWeights& a, const CheckpointWeights& b) {
    ASSERT_EQ(a.specs().size(), b.specs().size());
    for (const ParameterSpec& spec : a.specs())
        EXPECT_EQ(a.read<double>(spec.name), b.read<double>(spec.name)) << spec.name;
}

void expect_round_trip(const std::string& config, const char* format) {
    const TemporaryFolder folder;
    write_ours(folder / "ours", config);
    const CheckpointWeights ours = CheckpointWeights::open(folder / "ours");
    EXPECT_THAT(save_in_layout(ours, find_layout(format), folder / "theirs", {}), IsEmpty());
    const CheckpointWeights theirs = CheckpointWeights::open(folder / "theirs");
    EXPECT_EQ(theirs.format(), format);
    expect_equal_weights(ours, theirs);
    save_weights(theirs, folder / "back", {});
    const CheckpointWeights back = CheckpointWeights::open(folder / "back");
    EXPECT_EQ(back.format(), "headroom");
    EXPECT_EQ(to_json(back.config()), to_json(theirs.config()));
    expect_equal_weights(ours, back);
}

TEST(SaveWeights, GivesBackWhatItExported) {
    expect_round_trip(kOurGpt2, "hf-gpt2");
    expect_round_trip(kOurNanogpt, "nanogpt");
    expect_round_trip(kOurLlama, "hf-llama");
    expect_round_trip(kOurNeox, "hf-neox");
}

TEST(SaveWeights, GivesBackEveryWidthOfARotatedPart) {
    const TemporaryFolder folder;
    for (int rotated = 2; rotated <= 98; rotated += 2) {
        auto config = nlohmann::json::parse(kOurNeox);
        config.update({{"n_head", 1}, {"d_model", 98}, {"n_layer", 1}, {"rope_dim", rotated}});
        write_ours(folder / "ours", config.dump());
        save_in_layout(CheckpointWeights::open(folder / "ours"), find_layout("hf-neox"),
                       folder / "theirs", {});
        EXPECT_EQ(CheckpointWeights::open(folder / "theirs").config().rope_dim, rotated);
    }
}

TEST(SaveWeights, WritesTheNamesAndTurnsOfTheOtherTool) {
    const TemporaryFolder folder;
    write_ours(folder / "ours", kOurNanogpt);
    const CheckpointWeights ours = CheckpointWeights::open(folder / "ours");
    save_in_layout(ours, find_layout("nanogpt"), folder / "x.safetensors", {});
    const auto file = SafetensorsFile::open(folder / "x.safetensors");
    EXPECT_EQ(file.info("transformer.h.1.attn.c_attn.weight").shape, (Shape{18, 6}));
    EXPECT_EQ(file.read_as<double>("lm_head.weight"),
              file.read_as<double>("transformer.wte.weight"));
    const auto fused = file.read_as<double>("transformer.h.1.attn.c_attn.weight");
    const auto keys = ours.read<double>("h.1.attn.k.weight");
    for (size_t in = 0; in < 6; ++in)
        for (size_t out = 0; out < 6; ++out)
            ASSERT_EQ(fused[(6 + out) * 6 + in], keys[in * 6 + out]);
    EXPECT_EQ(nlohmann::json::parse(file.metadata().at("model_args")).at("n_head"), 2);
}

TEST(SaveWeights, FillsTheBiasesOfHuggingFaceGpt2WithZeros) {
    const TemporaryFolder folder;
    write_ours(folder / "ours", kOurNanogpt);
    save_in_layout(CheckpointWeights::open(folder / "ours"), find_layout("hf-gpt2"), folder / "hf",
                   {});
    const CheckpointWeights theirs = CheckpointWeights::open(folder / "hf");
    EXPECT_TRUE(theirs.config().bias);
    EXPECT_EQ(theirs.read<double>("h.0.attn.k.bias"), std::vector<double>(6, 0.0));
    const CheckpointWeights again =
        CheckpointWeights::open(folder / "hf", {.sets = {"model.bias=false"}});
    expect_equal_weights(CheckpointWeights::open(folder / "ours"), again);
}

TEST(SaveWeights, NamesTheKeyThatDoesNotFit) {
    const TemporaryFolder folder;
    const auto complaint = [&](const std::string& more, const char* format) {
        const std::string config = format == std::string("hf-llama")  ? kOurLlama
                                   : format == std::string("hf-neox") ? kOurNeox
                                                                      : kOurNanogpt;
        auto keys = nlohmann::json::parse(config);
        keys.update(nlohmann::json::parse("{" + more + "}"));
        write_ours(folder / "ours", keys.dump());
        try {
            save_in_layout(CheckpointWeights::open(folder / "ours"), find_layout(format),
                           folder / "out", {});
            return std::string();
        } catch (const UserError& error) {
            EXPECT_FALSE(std::filesystem::exists(folder / "out"));
            return std::string(error.what());
        }
    };
    EXPECT_THAT(complaint(R"("query": "identity")", "hf-gpt2"), HasSubstr("model.query"));
    EXPECT_THAT(complaint(R"("value_source": "skip")", "hf-gpt2"), HasSubstr("model.value_source"));
    EXPECT_THAT(complaint(R"("wiring": {"values": ["own", 0]})", "hf-gpt2"),
                HasSubstr("model.wiring"));
    EXPECT_THAT(complaint(R"("pos": "rope", "d_head": 4)", "hf-gpt2"), HasSubstr("model."));
    EXPECT_THAT(complaint(R"("mlp": "swiglu")", "nanogpt"), HasSubstr("model.mlp"));
    EXPECT_THAT(complaint(R"("tie": false)", "nanogpt"), HasSubstr("model.tie"));
    EXPECT_THAT(complaint(R"("norm_eps": 1e-6)", "nanogpt"), HasSubstr("model.norm_eps"));
    EXPECT_THAT(complaint(R"("causal": false)", "hf-gpt2"), HasSubstr("model.causal"));
    EXPECT_THAT(complaint(R"("norm": "layernorm")", "hf-llama"), HasSubstr("model.norm"));
    EXPECT_THAT(complaint(R"("skip_mlp": false)", "hf-llama"), HasSubstr("model.skip_mlp"));
    EXPECT_THAT(complaint(R"("pos": "learned")", "hf-neox"), HasSubstr("model.pos"));
    EXPECT_THAT(complaint(R"("n_kv_head": 1)", "hf-neox"), HasSubstr("model.n_kv_head"));
    EXPECT_THAT(complaint(R"("rope_dim": 2)", "hf-llama"), HasSubstr("model.rope_dim"));
}

TEST(SaveWeights, KeepsTheTypeUnlessAnotherIsAskedFor) {
    const TemporaryFolder folder;
    write_ours(folder / "ours", kOurLlama);
    const CheckpointWeights ours = CheckpointWeights::open(folder / "ours");
    for (const StoredType type :
         {StoredType::kF64, StoredType::kF32, StoredType::kBF16, StoredType::kF16}) {
        EXPECT_THAT(save_weights(ours, folder / "x", {.type = type}), IsEmpty());
        const CheckpointWeights written = CheckpointWeights::open(folder / "x");
        EXPECT_EQ(written.type("h.0.attn.q.weight"), type);
        expect_equal_weights(ours, written);  // the numbers fit into all of them
        save_weights(written, folder / "y", {});
        EXPECT_EQ(CheckpointWeights::open(folder / "y").type("ln_f.weight"), type);
    }
}

TEST(SaveWeights, KeepsTheStepOfTraining) {
    const TemporaryFolder folder;
    write_ours(folder / "ours", kOurLlama);
    save_weights(CheckpointWeights::open(folder / "ours"), folder / "x",
                 {.type = StoredType::kBF16});
    EXPECT_EQ(SafetensorsFile::open(folder / "x").metadata().at("step"), "12");
    EXPECT_EQ(SafetensorsFile::open(folder / "x").metadata().at("format"), "headroom-checkpoint/1");
}

TEST(SaveWeights, WarnsOfNumbersThatAreNotFinite) {
    const TemporaryFolder folder;
    FakeTensors tensors = fake_gpt2(false, true);
    tensors["transformer.ln_f.bias"].values[2] = std::numeric_limits<double>::quiet_NaN();
    tensors["transformer.wpe.weight"].values[3] = 1e6;
    write_fake_folder(folder.path(), tensors, kFakeGpt2Config);
    const CheckpointWeights weights = CheckpointWeights::open(folder.path());
    EXPECT_THAT(
        save_weights(weights, folder / "x", {.type = StoredType::kF16}),
        ElementsAre(AllOf(HasSubstr("wpe.weight"), HasSubstr("1 numbers"), HasSubstr("F16")),
                    AllOf(HasSubstr("ln_f.bias"), HasSubstr("not finite"))));
}

TEST(SaveWeights, PutsTheConfigBesideAFileOfAnotherName) {
    const TemporaryFolder folder;
    write_ours(folder / "ours", kOurLlama);
    const CheckpointWeights ours = CheckpointWeights::open(folder / "ours");
    for (int twice = 0; twice < 2; ++twice)
        save_in_layout(ours, find_layout("hf-llama"), folder / "mine.safetensors", {});
    expect_equal_weights(ours, CheckpointWeights::open(folder / "mine.safetensors"));
    write_plainly(folder / "config.json", "{}");
    EXPECT_THROW(save_in_layout(ours, find_layout("hf-llama"), folder / "x.safetensors", {}),
                 UserError);
    EXPECT_FALSE(std::filesystem::exists(folder / "x.safetensors"));
}

TEST(SaveWeights, RefusesAFolderInPlaceOfAFile) {
    const TemporaryFolder folder;
    write_ours(folder / "ours", kOurNanogpt);
    const CheckpointWeights ours = CheckpointWeights::open(folder / "ours");
    EXPECT_THROW(save_weights(ours, folder.path(), {}), UserError);
    EXPECT_THROW(save_in_layout(ours, find_layout("nanogpt"), folder.path(), {}), UserError);
}

}  // namespace
}  // namespace headroom
