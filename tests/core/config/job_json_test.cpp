#include "core/config/job_json.h"

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/architectures.h"
#include "core/config/presets.h"
#include "core/config/schema.h"
#include "core/data/data_spec.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

Job job_of(const std::string& text) {
    return parse_job(json::parse(text), "job.json");
}
ModelConfig named_model(const std::string& text) {
    return parse_model_config(json::parse(text), "model");
}

void expect_refused(const std::string& text, const std::string& what, const std::string& mend) {
    EXPECT_THAT([&] { job_of(text); }, ThrowsMessage<UserError>(AllOf(
                                           HasSubstr("job.json: "), HasSubstr(what),
                                           HasSubstr("; "), HasSubstr(mend), Not(HasSubstr("\n")))))
        << text;
}

TEST(JobJson, ReadsTheExampleOfTheContract) {
    const Job job = job_of(R"({ "name": "skipv1-tiny", "seed": 1, "device": "auto",
      "precision": "float32",
      "model": { "preset": "tiny", "arch": "skipv1", "n_layer": 6, "n_head": 6, "d_model": 192 },
      "data":  { "train": "text:FILE_OR_FOLDER", "val": "split:0.1", "tokenizer": "byte" },
      "train": { "steps": 500, "batch_size": 16, "seq_len": 256, "grad_accum": 1, "lr": 1e-3,
                 "min_lr": 1e-4, "warmup_steps": 50, "beta1": 0.9, "beta2": 0.95,
                 "weight_decay": 0.1, "grad_clip": 1.0, "dropout": 0.0, "eval_every": 50,
                 "eval_batches": 20, "checkpoint_every": 250 },
      "probes": [] })");
    EXPECT_EQ(job.name, "skipv1-tiny");
    EXPECT_EQ(job.model.arch, "skipv1");
    EXPECT_EQ(job.model.d_head, 32);
    EXPECT_EQ(job.model.d_ff, 768);
    EXPECT_EQ(job.model.vocab_size, 0) << "from the data";
    EXPECT_EQ(job.model.wiring.own_value_heads, (std::vector<int>{6, 3, 3, 3, 3, 3}));
    EXPECT_EQ(job.train.checkpoint_every, 250);
}

TEST(JobJson, AnEmptyDocumentIsTheBaselineWithAllDefaults) {
    const Job job = job_of("{}");
    EXPECT_EQ(job.train, TrainConfig{});
    EXPECT_EQ(job.data, DataConfig{});
    ModelConfig expected;
    expected.vocab_size = 0;
    expected.wiring_choice.yoco_split = 6;
    expected.wiring = build_wiring({}, 12, 12, 12);
    EXPECT_EQ(job.model, expected);
}

TEST(JobJson, LayersDefaultsAsBasePresetArchitectureAndGivenKeys) {
    // The architecture of the preset gives way to one in the file, the preset's sizes stay.
    const Job job = job_of(R"({"model": {"preset": "gpt2-124m-wq-identity", "arch": "skipv1",
                               "d_ff": 2000}})");
    EXPECT_EQ(job.model.query, QueryMap::kLinear);
    EXPECT_EQ(job.model.wiring_choice.value_source, "skip");
    EXPECT_EQ(job.model.d_ff, 2000);
    EXPECT_EQ(job.model.vocab_size, 50304);
    // A key in the file wins over the architecture.
    EXPECT_EQ(named_model(R"({"arch": "skipless", "norm": "rmsnorm"})").norm, NormKind::kRmsNorm);
}

TEST(JobJson, BaseFollowsTheArchitectureUnlessItIsGiven) {
    const ModelConfig llama = named_model(R"({"arch": "llama"})");
    EXPECT_EQ(llama.base, "llama");
    EXPECT_EQ(llama.norm, NormKind::kRmsNorm);
    EXPECT_EQ(llama.norm_eps, 1e-6);
    EXPECT_EQ(llama.pos, Positions::kRope);
    EXPECT_EQ(llama.mlp, MlpKind::kSwiglu);
    EXPECT_FALSE(llama.tie);
    EXPECT_FALSE(llama.init_residual_scale);
    EXPECT_EQ(named_model(R"({"arch": "skipv1"})").base, "gpt2");
    EXPECT_EQ(named_model(R"({"arch": "gqa"})").n_kv_head, 6);
    EXPECT_EQ(named_model(R"({"arch": "mqa"})").n_kv_head, 1);
    EXPECT_EQ(named_model(R"({"arch": "skipv1", "base": "llama"})").mlp, MlpKind::kSwiglu);
}

TEST(JobJson, AttentionScaleIsHalvedForIdentityAndNonlinearMaps) {
    EXPECT_DOUBLE_EQ(named_model("{}").attn_scale, 0.125);
    EXPECT_DOUBLE_EQ(named_model(R"({"arch": "wq_identity"})").attn_scale, 0.0625);
    EXPECT_DOUBLE_EQ(named_model(R"({"query": "nonlinear"})").attn_scale, 0.0625);
    EXPECT_DOUBLE_EQ(named_model(R"({"query": "residual"})").attn_scale, 0.125);
    EXPECT_DOUBLE_EQ(named_model(R"({"key": "identity", "query": "identity"})").attn_scale, 0.0625);
    EXPECT_DOUBLE_EQ(named_model(R"({"value": "identity"})").attn_scale, 0.125);
    EXPECT_DOUBLE_EQ(named_model(R"({"arch": "mla"})").attn_scale, 1 / std::sqrt(96.0));
    EXPECT_DOUBLE_EQ(named_model(R"({"arch": "wq_identity", "attn_scale": 0.2})").attn_scale, 0.2);
}

TEST(JobJson, EveryArchitectureAndPresetRoundTrips) {
    for (const ArchitecturePreset& preset : architecture_presets()) {
        const std::string& arch = preset.name;
        const Job job = parse_job({{"name", arch}, {"model", {{"arch", arch}}}}, arch);
        EXPECT_EQ(parse_job(to_json(job), arch), job) << arch;
        EXPECT_EQ(to_json(parse_job(to_json(job), arch)).dump(), to_json(job).dump()) << arch;
    }
    for (const Preset& preset : presets()) {
        json train{{"seq_len", 128}};
        if (preset.model.find("images") != std::string::npos) train.erase("seq_len");
        const Job job =
            parse_job({{"model", {{"preset", preset.name}}}, {"train", train}}, preset.name);
        EXPECT_EQ(parse_job(to_json(job), preset.name), job) << preset.name;
    }
}

TEST(JobJson, WhatFollowsFromImages) {
    const Job job = job_of(R"({"model": {"input": "images", "n_class": 7}})");
    EXPECT_FALSE(job.model.causal);
    EXPECT_FALSE(job.model.tie);
    EXPECT_EQ(job.model.vocab_size, 7);
    EXPECT_EQ(job.model.block_size, 65);
    EXPECT_EQ(job.train.seq_len, 65);
    EXPECT_TRUE(job.train.tells_classes());
    EXPECT_EQ(parse_job(to_json(job), ""), job);
    const auto positions = [](const char* keys) {
        return job_of(std::string(R"({"model": {"input": "images", )") + keys + "}}").train.seq_len;
    };
    EXPECT_EQ(positions(R"("image_size": 224, "patch_size": 16)"), 197);
    EXPECT_EQ(positions(R"("image_size": 64, "patch_size": 2)"), 1025);
    EXPECT_EQ(positions(R"("pooling": "mean")"), 64);
    EXPECT_TRUE(job_of("{}").model.causal);
    EXPECT_FALSE(job_of("{}").train.tells_classes());
}

TEST(JobJson, MoreExpertsThanALayerHasAreRefusedWithWhatToWrite) {
    expect_refused(R"({"model": {"n_layer": 2, "mlp_experts": 4, "mlp_top_k": 5}})",
                   "more than the 4 experts", "choose 1 to 4, or set model.mlp_experts");
    expect_refused(R"({"model": {"n_layer": 2, "mlp_experts": [1, 4], "mlp_top_k": 2}})",
                   "more than the one MLP of layer 0",
                   "a list with 1 for that layer, or leave mlp_top_k out");
    EXPECT_EQ(job_of(R"({"model": {"n_layer": 2, "mlp_experts": [1, 4]}})").model.mlp_top_k.at(1),
              2);
}

TEST(JobJson, ImagesRefuseWhatIsOfTokens) {
    const auto refusal = [](const std::string& keys) -> std::string {
        try {
            job_of(keys);
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    };
    const auto image = [&](const std::string& keys, const std::string& rest = "") {
        return refusal(R"({"model": {"input": "images")" + keys + "}" + rest + "}");
    };
    EXPECT_EQ(image(""), "no error");
    EXPECT_EQ(image("", R"(, "data": {"train": "images:a", "val": "split:0.1"})"), "no error");
    EXPECT_THAT(image(R"(, "patch_size": 5)"), HasSubstr("does not divide"));
    EXPECT_THAT(image(R"(, "patch_size": 64)"), HasSubstr("does not divide"));
    EXPECT_THAT(image(R"(, "image_size": 4096, "patch_size": 1)"), HasSubstr("make at most"));
    EXPECT_THAT(image(R"(, "block_size": 64)"), HasSubstr("an image has 65 positions"));
    EXPECT_THAT(image(R"(, "causal": true)"), HasSubstr("set model.causal = false"));
    EXPECT_THAT(image(R"(, "tie": true)"), HasSubstr("set model.tie = false"));
    EXPECT_THAT(image(R"(, "n_class": 2, "vocab_size": 2)"), HasSubstr("say the same"));
    EXPECT_THAT(image("", R"(, "train": {"seq_len": 64})"), HasSubstr("leave train.seq_len out"));
    EXPECT_THAT(image("", R"(, "train": {"objective": "masked"})"),
                HasSubstr("does not go with model.input = images"));
    EXPECT_THAT(image("", R"(, "data": {"train": "text:a.txt"})"), HasSubstr("write images:"));
    EXPECT_THAT(image("", R"(, "probes": [{"kind": "eval", "tasks": "lambada:a"}])"),
                HasSubstr("reads texts"));
    EXPECT_THAT(refusal(R"({"model": {"n_class": 3}})"), HasSubstr("set model.input = images"));
    EXPECT_THAT(refusal(R"({"data": {"train": "images:a"}})"),
                HasSubstr("set model.input = images"));
    EXPECT_THAT(refusal(R"({"train": {"objective": "classes"}})"),
                HasSubstr("classes are those of images"));
}

TEST(JobJson, AUsersWiringTableRoundTripsAndIsWrittenOnlyThen) {
    const Job job = job_of(R"({"model": {"n_layer": 2, "n_head": 2, "d_model": 8,
                                         "wiring": {"values": ["own", 0]}}})");
    EXPECT_TRUE(job.model.custom_wiring);
    EXPECT_EQ(job.model.wiring.own_value_heads, (std::vector<int>{2, 0}));
    EXPECT_EQ(parse_job(to_json(job), ""), job);
    EXPECT_FALSE(to_json(job_of("{}")).at("model").contains("wiring"));
    EXPECT_FALSE(job_of(R"({"model": {"wiring": null}})").model.custom_wiring);
}

TEST(JobJson, WritesEveryKeyOfTheSchemaButWiringAndWhatIsOnlyRead) {
    const json document = to_json(job_of("{}"));
    std::vector<std::string> only_read;
    for (const Field& field : job_schema()) {
        const json& section = field.section().empty() ? document : document.at(field.section());
        const bool left_out = field.input_only || field.path == "model.wiring";
        EXPECT_EQ(section.contains(field.key()), !left_out) << field.path;
        if (field.input_only) only_read.push_back(field.path);
    }
    EXPECT_EQ(only_read, (std::vector<std::string>{"model.preset", "model.n_class", "train.recipe",
                                                   "train.min_lr_share", "train.warmup_share"}));
}

TEST(JobJson, ACheckpointsConfigMayGiveOnlySomeKeys) {
    const ModelConfig config = named_model(R"({"n_layer": 2, "res_lambda": "learned"})");
    EXPECT_EQ(config.vocab_size, 50304);
    EXPECT_EQ(config.n_layer, 2);
    EXPECT_TRUE(config.wiring_choice.res_lambda_learned);
    EXPECT_EQ(named_model(to_json(config).dump()), config);
}

TEST(JobJson, WholeNumbersMayBeWrittenWithAnExponent) {
    EXPECT_EQ(job_of(R"({"train": {"steps": 5e2}})").train.steps, 500);
}

TEST(JobJson, TrainingDefaultsFollowTheModelAndTheRate) {
    const Job job = job_of(R"({"model": {"preset": "demo"}, "train": {"lr": 6e-4, "steps": 20}})");
    EXPECT_EQ(job.train.seq_len, 128);
    EXPECT_DOUBLE_EQ(job.train.min_lr, 6e-5);
    EXPECT_EQ(job.train.warmup_steps, 20);
}

TEST(JobJson, RefusesUnknownKeysWithTheNearestKnownOne) {
    expect_refused(R"({"model": {"n_layers": 6}})", "unknown key \"n_layers\" in \"model\"",
                   "did you mean \"n_layer\"?");
    expect_refused(R"({"trian": {}})", "unknown key \"trian\"", "did you mean \"train\"?");
    expect_refused(R"({"train": {"laerning": 1}})", "unknown key \"laerning\"",
                   "known: recipe, steps");
    expect_refused(R"({"n_layer": 6})", "unknown key \"n_layer\"", "it belongs into \"model\"");
    expect_refused(R"({"model": {"seed": 6}})", "unknown key \"seed\" in \"model\"",
                   "it belongs at the top level");
    expect_refused(R"({"model": {"a\nb": 6}})", "unknown key \"a\\nb\"", "known: ");
    expect_refused(R"({"model": {"mla": {"dc": 6}}})", "unknown key \"dc\" in model.mla", "d_c");
    expect_refused(R"({"model.n_layer": 6})", "unknown key \"model.n_layer\"",
                   "write \"n_layer\" inside \"model\"");
}

TEST(JobJson, RefusesWrongTypesAndValuesByTheirPath) {
    expect_refused("[]", "the document is not a job", "write {");
    expect_refused(R"({"model": 6})", "\"model\" = 6 is not a section", "write {");
    expect_refused(R"({"model": {"n_layer": "six"}})", "model.n_layer = \"six\" is not a whole",
                   "choose 1 to 1024");
    expect_refused(R"({"model": {"n_layer": 2.5}})", "model.n_layer = 2.5 is not a whole", "1 to");
    expect_refused(R"({"model": {"n_layer": 0}})", "model.n_layer = 0 is out of range", "1 to");
    expect_refused(R"({"seed": 18446744073709551615})", "seed = 18446744073709551615 is not", "0");
    expect_refused(R"({"seed": null})", "seed = null is not a whole number", "at least 0");
    expect_refused(R"({"model": {"tie": 1}})", "model.tie = 1 is not a switch", "true or false");
    expect_refused(R"({"model": {"arch": "skpv1"}})", "model.arch = \"skpv1\" is not known",
                   "did you mean \"skipv1\"?");
    expect_refused(R"({"model": {"preset": "tiyn"}})", "model.preset = \"tiyn\" is not known",
                   "did you mean \"tiny\"?");
    expect_refused(R"({"model": {"mlp": {"gelu": 1}}})", "model.mlp = {\"gelu\":1} is not known",
                   "choose gelu, gelu_tanh");
    expect_refused(R"({"model": {"mlp": [["gelu"]]}})", "model.mlp[0] = [\"gelu\"] is not known",
                   "choose gelu, gelu_tanh");
    expect_refused(R"({"precision": "float16"})", "precision = \"float16\"", "float");
    expect_refused(R"({"train": {"lr": 0}})", "train.lr = 0 is out of range",
                   "more than 0, at most 10");
    expect_refused(R"({"train": {"dropout": 1.0}})", "train.dropout = 1.0", "less than 1");
    expect_refused(R"({"train": {"lr": true}})", "train.lr = true is not a number", "choose");
    expect_refused(R"({"name": ""})", "name = \"\" is empty", "");
    expect_refused(R"({"model": {"res_lambda": "lerned"}})", "model.res_lambda = \"lerned\"",
                   "did you mean \"learned\"?");
    expect_refused(R"({"model": {"mla": {"d_c": 0}}})", "model.mla.d_c = 0 is not a width", "up");
}

TEST(JobJson, RefusesImpossibleCombinations) {
    expect_refused(R"({"model": {"preset": "tiny", "n_head": 7}})",
                   "model.n_head = 7 does not divide model.d_model = 192", "take 6 or 8 heads");
    expect_refused(R"({"model": {"n_kv_head": 5}})",
                   "model.n_kv_head = 5 does not divide model.n_head = 12", "same number");
    expect_refused(R"({"model": {"query": "identity", "d_head": 32}})",
                   "model.query = identity needs n_head * d_head = d_model, but 12 * 32 is not 768",
                   "linear");
    expect_refused(R"({"model": {"key": "identity", "n_kv_head": 4}})",
                   "model.key = identity needs one key/value head per query head", "n_kv_head");
    expect_refused(R"({"model": {"value": "identity", "n_kv_head": 1}})", "model.value = identity",
                   "n_kv_head");
    expect_refused(R"({"model": {"out_proj": "identity", "d_head": 32}})", "model.out_proj", "");
    expect_refused(R"({"model": {"out_proj": "identity", "arch": "mla", "mla": {"d_v": 63}}})",
                   "needs n_head * mla.d_v = d_model, but 12 * 63 is not 768", "");
    expect_refused(R"({"model": {"skip_layer": 13, "arch": "skipv1"}})", "model.skip_layer = 13",
                   "1 to 12");
    expect_refused(R"({"model": {"arch": "skipv1", "inject": "pool", "skip_ratio": 0.25}})",
                   "model.inject = pool", "skip_ratio 0.5");
    expect_refused(R"({"model": {"pos": "rope", "d_model": 12, "n_head": 4}})",
                   "model.d_head = 3 is odd", "even");
    expect_refused(R"({"model": {"arch": "mla", "n_kv_head": 6}})", "model.mla does not go with",
                   "leave");
    expect_refused(R"({"model": {"arch": "skipv1", "share_layers": true}})", "model.share_layers",
                   "value_source");
    expect_refused(R"({"model": {"n_layer": 1024, "n_head": 1024, "d_model": 1024}})", "too many",
                   "below");
    expect_refused(R"({"train": {"seq_len": 2048}})",
                   "train.seq_len = 2048 is longer than model.block_size = 1024", "shorten");
    expect_refused(R"({"train": {"lr": 1e-5, "min_lr": 1e-4}})",
                   "train.min_lr = 0.0001 is above train.lr", "lr");
    expect_refused(R"({"train": {"steps": 10, "warmup_steps": 50}})",
                   "train.warmup_steps = 50 is more than", "fewer");
    expect_refused(R"({"device": "cuda", "precision": "float64"})", "float64 is for the CPU", "");
}

TEST(JobJson, AMaskedObjectiveIsForEncoders) {
    const Job job = job_of(R"({"model": {"causal": false}, "train": {"objective": "masked"}})");
    EXPECT_TRUE(job.train.is_masked());
    EXPECT_EQ(job.train.mask_rate, 0.15);
    EXPECT_EQ(job.train.mask_span, 1);
    EXPECT_EQ(parse_job(to_json(job), ""), job);
    EXPECT_FALSE(job_of("{}").train.is_masked());
    expect_refused(R"({"train": {"objective": "masked"}})",
                   "train.objective = masked is for encoders, but model.causal = true",
                   "set model.causal = false");
    expect_refused(R"({"train": {"objective": "mask"}})", "train.objective = \"mask\"",
                   "did you mean \"masked\"?");
    expect_refused(R"({"train": {"mask_rate": 0}})", "train.mask_rate = 0 is out of range", "");
    expect_refused(R"({"train": {"mask_rate": 1.5}})", "train.mask_rate = 1.5 is out of range", "");
    expect_refused(R"({"model": {"causal": false},
                       "train": {"objective": "masked", "seq_len": 16, "mask_span": 17}})",
                   "train.mask_span = 17 is longer than train.seq_len = 16", "shorter");
}

TEST(JobJson, RefusesDataSpecsOfAnUnknownKind) {
    expect_refused(R"({"data": {"train": "input.txt"}})", "data.train = \"input.txt\"", "text");
    expect_refused(R"({"data": {"train": "txet:a"}})", "data.train", "did you mean \"text\"?");
    expect_refused(R"({"data": {"train": "text:"}})", "names nothing", "text:FILE");
    expect_refused(R"({"data": {"train": "h5:a"}})", "is not a data spec", "tokens:FILE");
    expect_refused(R"({"data": {"train": "split:0.1"}})", "data.train = \"split:0.1\"", "");
    expect_refused(R"({"data": {"train": "mix:1 text:a; b"}})", "does not begin with a weight", "");
    expect_refused(R"({"data": {"train": "mix:1 text:a; 1 images:b"}})", "cannot be mixed", "");
    expect_refused(R"({"data": {"val": "split:1.5"}})", "data.val = \"split:1.5\"", "split:0.1");
    expect_refused(R"({"data": {"val": "split:0.1x"}})", "data.val", "split:0.1");
    expect_refused(R"({"data": {"tokenizer": "bytes"}})", "data.tokenizer = \"bytes\"",
                   "did you mean \"byte\"?");
    expect_refused(R"({"data": {"tokenizer": "gpt2"}})", "names no path", "gpt2:FOLDER");
}

// Only what opens data knew mixtures: no job could name one.
TEST(JobJson, TakesEveryKindOfData) {
    for (const DataSpecKind& kind : data_spec_kinds()) {
        const bool mixes = kind.kind == DataSpec::Kind::kMix;
        const bool splits = kind.kind == DataSpec::Kind::kSplit;
        const bool images = kind.kind == DataSpec::Kind::kImages;
        const std::string spec = fmt::format("{}:{}", kind.word,
                                             mixes    ? "0.7 tokens:a.bin; 0.3 text:b"
                                             : splits ? "0.1"
                                                      : "c");
        const nlohmann::json document{
            {"data", {{splits ? "val" : "train", spec}}},
            {"model", images ? nlohmann::json{{"input", "images"}} : nlohmann::json::object()}};
        const Job job = job_of(document.dump());
        EXPECT_EQ(splits ? job.data.val : job.data.train, spec);
    }
}

TEST(JobJson, ReadsProbesWithTheDefaultsOfTheirKinds) {
    const Job job = job_of(R"({"probes": [{"kind": "heads", "every": 1e2},
        {"kind": "linear", "steps": 500, "rates": [1e-3], "control": false},
        {"kind": "attention", "seq_len": 64}]})");
    ASSERT_EQ(job.probes.size(), 3u);
    EXPECT_EQ(job.probes[0].every, 100);
    EXPECT_EQ(job.probes[0].batch_size, 8);
    EXPECT_EQ(job.probes[1].every, 0);
    EXPECT_EQ(job.probes[1].values.get<int64_t>("steps"), 500);
    EXPECT_FALSE(job.probes[1].values.get<bool>("control"));
    EXPECT_EQ(job.probes[2].seq_len, 64);
    EXPECT_EQ(parse_job(to_json(job), ""), job);
    EXPECT_TRUE(job_of(R"({"probes": []})").probes.empty());
}

TEST(JobJson, KeepsTheEarlierWordOfAProbe) {
    const Job job = job_of(R"({"probes": [{"kind": "lens", "every": 5}]})");
    EXPECT_EQ(job.probes[0].kind, "logit_lens");
    EXPECT_EQ(job, job_of(R"({"probes": [{"kind": "logit_lens", "every": 5}]})"));
    expect_refused(R"({"probes": [{"kind": "lens"}, {"kind": "logit_lens"}]})",
                   "probes[1] is the second probe of kind logit_lens", "");
}

TEST(JobJson, RefusesProbesByEntryAndKey) {
    expect_refused(R"({"probes": [{"kind": "wiring"}]})", "probes[0], a probe of kind wiring",
                   "\"edit\"");
    expect_refused(R"({"probes": ["heads"]})", "probes[0] = \"heads\" is not a probe", "kind");
    expect_refused(R"({"probes": {}})", "probes = {} is not a list", "");
    expect_refused(R"({"probes": [{"every": 5}]})", "probes[0] does not say", "heads");
    expect_refused(R"({"probes": [{"kind": "haeds"}]})", "probes[0].kind = \"haeds\"",
                   "did you mean \"heads\"?");
    expect_refused(R"({"probes": [{"kind": "heads", "evry": 5}]})", "unknown key \"evry\"",
                   "did you mean \"every\"?");
    expect_refused(R"({"probes": [{"kind": "heads", "steps": 5}]})", "a probe of kind heads", "");
    expect_refused(R"({"probes": [{"kind": "heads", "every": -1}]})", "probes[0].every = -1", "");
    expect_refused(R"({"probes": [{"kind": "heads"}, {"kind": "heads"}]})",
                   "probes[1] is the second probe of kind heads", "");
    expect_refused(R"({"probes": [{"kind": "linear", "rates": [0]}]})",
                   "probes[0].rates[0] = 0 is out of range", "");
    expect_refused(R"({"probes": [{"kind": "linear", "rates": []}]})", "rates is empty", "");
    expect_refused(R"({"probes": [{"kind": "heads", "seq_len": 2048}]})",
                   "probes[0].seq_len = 2048 is longer than model.block_size", "");
}

}  // namespace
}  // namespace headroom
