#include "core/weights/weight_source.h"

#include <map>
#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/train/training_session.h"
#include "core/weights/checkpoint_weights.h"
#include "core/weights/fresh_weights.h"
#include "core/weights/live_weights.h"
#include "core/weights/save_weights.h"
#include "core/weights/transformed_weights.h"
#include "tests/core/train/test_data.h"
#include "tests/support/made_weights.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using Entries = std::map<std::string, std::string, std::less<>>;

ModelConfig small_model(int64_t block_size = 8) {
    nlohmann::json keys = nlohmann::json::parse(R"({"arch": "gpt2", "n_layer": 2, "n_head": 2,
                                                    "d_model": 8, "vocab_size": 11})");
    keys["block_size"] = block_size;
    return parse_model_config(keys, "");
}

/// Multiplies the queries' matrices by `factor`.
Transformation scaled_queries(const WeightSource& source, double factor) {
    return {"scaled", std::to_string(static_cast<int>(factor)), source.config(),
            [factor](const WeightSource& weights,
                     const ParameterSpec& spec) -> std::optional<std::vector<double>> {
                if (spec.role != ParameterRole::kQuery) return std::nullopt;
                std::vector<double> values = weights.read<double>(spec.name);
                for (double& value : values) value *= factor;
                return values;
            }};
}

std::shared_ptr<const WeightSource> scaled(std::shared_ptr<const WeightSource> source,
                                           double factor) {
    Transformation transformation = scaled_queries(*source, factor);
    return std::make_shared<const TransformedWeights>(std::move(source), std::move(transformation));
}

std::shared_ptr<const WeightSource> made_with_metadata() {
    CheckpointMetadata metadata;
    metadata.step = 70;
    metadata.tokens = 7000;
    metadata.other["tokenizer"] = "{}";
    const FreshWeights fresh(small_model(), 3);
    return std::make_shared<const MadeWeights>(
        small_model(), [fresh](const std::string& name) { return fresh.read<double>(name); },
        metadata);
}

TEST(TransformedWeights, MakeWhatTheTransformationGivesAndKeepTheRest) {
    const auto source = made_with_metadata(), result = scaled(source, 3);
    for (const ParameterSpec& spec : source->specs()) {
        std::vector<double> expected = source->read<double>(spec.name);
        if (spec.role == ParameterRole::kQuery)
            for (double& value : expected) value *= 3;
        EXPECT_EQ(result->read<double>(spec.name), expected) << spec.name;
        EXPECT_EQ(result->type(spec.name), StoredType::kF64);
    }
}

TEST(TransformedWeights, ChainAndSayWhereTheyCameFrom) {
    const auto source = made_with_metadata();
    const auto result = scaled(scaled(source, 3), 5);
    const std::vector<double> before = source->read<double>("h.1.attn.q.weight");
    const std::vector<double> after = result->read<double>("h.1.attn.q.weight");
    for (size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i], before[i] * 3 * 5);
    EXPECT_EQ(result->metadata().other, (Entries{{"scaled_from", "made.safetensors"},
                                                 {"scaled_with", "3, 5"},
                                                 {"scaled_step", "70"},
                                                 {"scaled_tokens", "7000"},
                                                 {"tokenizer", "{}"}}));
    EXPECT_FALSE(result->metadata().step);
    EXPECT_FALSE(result->metadata().tokens);
}

TEST(WeightSource, OfAnyKindIsSavedInAnyType) {
    const TemporaryFolder folder;
    const auto source = scaled(made_with_metadata(), 2);
    for (const StoredType type :
         {StoredType::kF64, StoredType::kF32, StoredType::kBF16, StoredType::kF16}) {
        EXPECT_TRUE(save_weights(*source, folder / "x.safetensors", {.type = type}).empty());
        const CheckpointWeights back = CheckpointWeights::open(folder / "x.safetensors");
        EXPECT_EQ(back.config(), source->config());
        EXPECT_EQ(back.metadata().other, source->metadata().other);
        for (const ParameterSpec& spec : back.specs()) {
            EXPECT_EQ(back.type(spec.name), type);
            const std::vector<double> a = source->read<double>(spec.name);
            const std::vector<double> b = back.read<double>(spec.name);
            const double rounding = type == StoredType::kF64   ? 0
                                    : type == StoredType::kF32 ? 0x1p-24
                                    : type == StoredType::kF16 ? 0x1p-11
                                                               : 0x1p-8;
            for (size_t i = 0; i < a.size(); ++i)
                EXPECT_NEAR(a[i], b[i], rounding * std::abs(a[i]) + 1e-7 * (rounding > 0))
                    << spec.name;
        }
    }
}

TEST(WeightSource, OfAGraphInTrainingIsWhatItStartedWithAndThenWhatItLearned) {
    Job job = parse_job(nlohmann::json::parse(R"({
            "seed": 5, "model": {"n_layer": 2, "n_head": 2, "d_model": 8, "block_size": 8,
                                 "vocab_size": 11},
            "train": {"steps": 2, "batch_size": 2, "seq_len": 8, "warmup_steps": 0}})"),
                        "");
    const CountingTokens data(11);
    const auto device = make_cpu_device();
    TrainingSession session(job, data, *device);
    session.initialize();
    const LiveWeights live(session.executor(), session.training_graph().parameters, job.model);
    const FreshWeights fresh(job.model, 5);
    ASSERT_EQ(live.specs().size(), fresh.specs().size());
    for (const ParameterSpec& spec : live.specs()) {
        EXPECT_EQ(live.type(spec.name), StoredType::kF32);
        EXPECT_EQ(live.read<float>(spec.name), fresh.read<float>(spec.name)) << spec.name;
    }
    session.step(1);
    EXPECT_NE(live.read<double>("h.0.mlp.up.weight"), fresh.read<double>("h.0.mlp.up.weight"));
}

TEST(WeightSource, TakesNoSequenceLongerThanItsPositions) {
    EXPECT_NO_THROW(FreshWeights(small_model(16), 1).check_length(16));
    EXPECT_THROW(FreshWeights(small_model(16), 1).check_length(17), UserError);
}

TEST(WeightSource, NeedsAVocabulary) {
    ModelConfig model = small_model();
    model.vocab_size = 0;
    EXPECT_THROW(FreshWeights(model, 1), UserError);
}

}  // namespace
}  // namespace headroom
