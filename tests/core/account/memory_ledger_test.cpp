// The ledger against what sessions allocate, what their arenas hold and what is counted by hand.
#include "core/account/memory_ledger.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "core/base/error.h"
#include "core/base/system_info.h"
#include "core/config/job_json.h"
#include "core/decode/decoding_session.h"
#include "core/train/predict_memory.h"
#include "tests/core/model/architectures.h"

namespace headroom {
namespace {

using testing::ElementsAre;

Job preset_as_job(const std::string& name) {
    Job job = parse_job({{"model", {{"preset", name}}}}, "");
    if (job.model.vocab_size == 0) job.model.vocab_size = 256;
    return job;
}

int64_t sum_of_headings(const MemoryLedger& ledger) {
    int64_t sum = 0;
    for (const auto& [name, heading] : kMemoryHeadings)
        if (name != "total") sum += ledger.*heading;
    return sum;
}

MemoryRequest decoding(const Job& job, int64_t batch_size, int64_t context) {
    return {MemoryUse::kInference, job, job.precision, batch_size, context};
}

class Ledger : public testing::TestWithParam<Architecture> {
  protected:
    const Job job_ = small_job(GetParam().keys);
};

TEST_P(Ledger, CacheBuffersAddUpToTheCountOfEveryLayer) {
    std::vector<LayerCache> layers(static_cast<size_t>(job_.model.n_layer));
    for (const CacheBuffer& buffer : cache_buffers(job_.model)) {
        LayerCache& layer = layers[static_cast<size_t>(buffer.layer)];
        (buffer.kind == CacheKind::kKeys     ? layer.keys
         : buffer.kind == CacheKind::kValues ? layer.values
                                             : layer.latent) += buffer.numbers_per_token();
    }
    const CacheCount count = count_cache(job_.model);
    for (size_t l = 0; l < layers.size(); ++l) {
        EXPECT_EQ(layers[l].keys, count.layers[l].keys) << l;
        EXPECT_EQ(layers[l].values, count.layers[l].values) << l;
        EXPECT_EQ(layers[l].latent, count.layers[l].latent) << l;
    }
}

TEST_P(Ledger, EveryCacheBufferIsRead) {
    for (const CacheBuffer& buffer : cache_buffers(job_.model)) {
        EXPECT_FALSE(buffer.readers.empty()) << buffer.layer << name_of(buffer.kind);
        EXPECT_TRUE(std::is_sorted(buffer.readers.begin(), buffer.readers.end()));
    }
}

TEST_P(Ledger, ArenasHoldWhatWasPredicted) {
    const auto device = make_cpu_device();
    for (const MemoryUse use : {MemoryUse::kTraining, MemoryUse::kInference}) {
        MemoryReport report = memory_report(memory_request(job_, use));
        measure_memory(report, *device);
        const MemoryLedger& held = report.measured->held;
        for (const auto& [name, heading] : kMemoryHeadings) {
            if (name == "activations") continue;  // packed: gaps belong to no value
            EXPECT_EQ(held.*heading, report.predicted.*heading) << name_of(use) << " " << name;
        }
        EXPECT_LE(held.activations, report.predicted.activations);
        EXPECT_GT(held.activations, report.predicted.activations * 9 / 10);
        ASSERT_EQ(report.measured->cache.size(), report.cache.size());
        for (size_t i = 0; i < report.cache.size(); ++i)
            EXPECT_EQ(report.measured->cache[i], report.cache_bytes(report.cache[i])) << i;
        const MeasuredMemory read = read_measurement(to_json(report));
        EXPECT_EQ(read.cache, report.measured->cache);
        EXPECT_EQ(read.resident_growth, report.measured->resident_growth);
        EXPECT_EQ(read.held.activations, held.activations);
        EXPECT_EQ(read.held.total, held.total);
    }
}

TEST_P(Ledger, PartsAddUpToTheirHeadings) {
    for (const MemoryUse use : {MemoryUse::kTraining, MemoryUse::kInference}) {
        const MemoryReport report = memory_report(memory_request(job_, use));
        MemoryLedger sums;
        for (const MemoryPart& part : report.parts) {
            EXPECT_LT(part.layer, job_.model.n_layer);
            EXPECT_GT(part.bytes, 0) << part.name;
            for (const auto& [name, heading] : kMemoryHeadings)
                if (part.heading == name) sums.*heading += part.bytes;
        }
        EXPECT_EQ(sums.weights, report.predicted.weights);
        EXPECT_EQ(sums.gradients, report.predicted.gradients);
        EXPECT_EQ(sums.optimizer, report.predicted.optimizer);
    }
}

TEST_P(Ledger, ADecodingSessionAllocatesWhatWasPredicted) {
    if (GetParam().encoder) GTEST_SKIP() << "cannot be decoded";
    const auto device = make_cpu_device();
    const DecodingSession session(job_.model, job_.precision, {3, 5}, *device);
    const MemoryReport report = memory_report(decoding(job_, 3, 5));
    EXPECT_EQ(session.ledger().total, report.predicted.total);
    EXPECT_EQ(session.cache_bytes(), report.predicted.cache);
    EXPECT_EQ(report.predicted.cache, 15 * count_cache(job_.model).bytes_per_token(job_.precision));
}

INSTANTIATE_TEST_SUITE_P(Architectures, Ledger, testing::ValuesIn(architectures_to_test()),
                         [](const auto& each) { return each.param.name; });

TEST(MemoryLedger, TrainingIsTheJobsOwnPrediction) {
    const Job job = preset_as_job("tiny");
    const MemoryLedger ours = memory_report(memory_request(job, MemoryUse::kTraining)).predicted;
    EXPECT_EQ(ours.total, predict_memory(job).training.total);
    EXPECT_EQ(ours.total, sum_of_headings(ours));
    EXPECT_EQ(ours.optimizer, 2 * ours.gradients);
    EXPECT_EQ(ours.cache, 0);
}

TEST(MemoryLedger, PartsAreCalledByWhatTheyAre) {
    const Job job = preset_as_job("tiny");
    const MemoryReport report = memory_report(decoding(job, 1, 16));
    const auto bytes = [&](int layer, const std::string& name) {
        for (const MemoryPart& part : report.parts)
            if (part.layer == layer && part.name == name) return part.bytes;
        return int64_t{0};
    };
    const int64_t d = job.model.d_model;
    EXPECT_EQ(bytes(-1, "embedding"), job.model.vocab_size * d * 4);
    EXPECT_EQ(bytes(-1, "positions"), job.model.block_size * d * 4);
    EXPECT_EQ(bytes(2, "attention"), 4 * d * d * 4);
    EXPECT_EQ(bytes(2, "MLP"), 2 * d * job.model.d_ff * 4);
    EXPECT_GT(bytes(2, "norms"), 0);
}

TEST(MemoryLedger, WhatIsNoMeasurementIsRefused) {
    const Job job = preset_as_job("tiny");
    const auto unmeasured = to_json(memory_report(decoding(job, 1, 16)));
    EXPECT_THROW(read_measurement(unmeasured), UserError);
    EXPECT_THROW(read_measurement("song"), UserError);
    EXPECT_THROW(read_measurement({{"measured", {{"total", "much"}}}}), UserError);
}

TEST(MemoryLedger, SaysWhoReadsTheFirstValuesOfSkipV1) {
    const Job job = small_job(R"({"arch": "skipv1"})");
    const auto buffers = cache_buffers(job.model);
    ASSERT_EQ(buffers.size(), 8u);
    EXPECT_THAT(buffers[0].readers, ElementsAre(0));           // keys of layer 0
    EXPECT_THAT(buffers[1].readers, ElementsAre(0, 1, 2, 3));  // its values
    EXPECT_EQ(buffers[1].heads, 4);
    EXPECT_EQ(buffers[3].heads, 2);
    EXPECT_THAT(buffers[3].readers, ElementsAre(1));
    EXPECT_THAT(buffers[1].head_readers[3],
                ElementsAre(HeadId{0, 3}, HeadId{1, 3}, HeadId{2, 3}, HeadId{3, 3}));
    EXPECT_THAT(buffers[1].head_readers[0], ElementsAre(HeadId{0, 0}));
}

TEST(MemoryLedger, ABfloat16CopyOfEveryMatrixStandsBesideTheWeights) {
    Job job = preset_as_job("tiny");
    const auto weights = [&](DType precision) {
        MemoryRequest request = decoding(job, 1, 64);
        request.precision = precision;
        return memory_report(request).predicted.weights;
    };
    const int64_t total = count_parameters(job.model).total;
    EXPECT_NEAR(static_cast<double>(weights(DType::kF32)), 4.0 * static_cast<double>(total), 64e3);
    EXPECT_NEAR(static_cast<double>(weights(DType::kBF16)), 6.0 * static_cast<double>(total), 2e5);
}

TEST(MemoryLedger, SevenBillionParametersArePredictedWithoutRoomForThem) {
    const int64_t before = resident_bytes();
    const Job job = preset_as_job("llama-7b-skipv1");
    const MemoryReport training = memory_report(memory_request(job, MemoryUse::kTraining));
    const MemoryReport inference = memory_report(decoding(job, 8, 4096));
    EXPECT_GT(training.predicted.total, 100e9);
    EXPECT_EQ(inference.predicted.cache, int64_t{397'312} * 2 * 8 * 4096);  // float32: twice bf16
    EXPECT_LT(resident_bytes() - before, 64 << 20);
}

TEST(MemoryLedger, RefusesPositionsThatTheModelHasNot) {
    const Job learned = preset_as_job("gpt2-124m");
    EXPECT_THROW(memory_report(decoding(learned, 1, 1025)), UserError);
    EXPECT_NO_THROW(memory_report(decoding(learned, 1, 1024)));
    EXPECT_NO_THROW(
        memory_report(decoding(preset_as_job("llama-60m"), 1, 1 << 20)));  // rotary: any
    EXPECT_THROW(memory_report(decoding(preset_as_job("llama-60m"), 1 << 20, 1 << 30)), UserError);
}

}  // namespace
}  // namespace headroom
