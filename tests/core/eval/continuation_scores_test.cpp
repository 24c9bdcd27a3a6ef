#include "core/eval/continuation_scores.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/decode/check_logits.h"
#include "core/decode/loaded_model.h"
#include "core/device/device.h"
#include "core/stats/sample_mean.h"
#include "core/weights/checkpoint_weights.h"
#include "tests/support/forwarding_device.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

class ContinuationScores : public testing::Test {
  protected:
    ContinuationScores() : weights_(open({})) {}

    CheckpointWeights open(const nlohmann::json& keys) {
        write_random_checkpoint(folder_ / "model.safetensors", keys);
        return CheckpointWeights::open(folder_ / "model.safetensors", {});
    }
    std::vector<ContinuationScore> score(const std::vector<ContinuationRequest>& requests) {
        return score_continuations(weights_, DType::kF64, *device_, requests);
    }
    /// One pass over exactly the tokens that are read; softmax by its definition.
    double log_probability(std::vector<int32_t> read, const std::vector<int32_t>& continuation) {
        LoadedModel model(weights_, DType::kF64, static_cast<int64_t>(read.size()), *device_);
        const std::vector<double> logits = model.logits<double>(read);
        const size_t vocabulary = logits.size() / read.size();
        double sum = 0;
        for (size_t i = 0; i < continuation.size(); ++i) {
            const size_t row = read.size() - continuation.size() + i;
            double total = 0;
            for (size_t v = 0; v < vocabulary; ++v) total += std::exp(logits[row * vocabulary + v]);
            const auto token = static_cast<size_t>(continuation[i]);
            sum += std::log(std::exp(logits[row * vocabulary + token]) / total);
        }
        return sum;
    }

    TemporaryFolder folder_;
    std::unique_ptr<Device> device_ = make_cpu_device();
    CheckpointWeights weights_;
};

TEST_F(ContinuationScores, AreSumsOfLogSoftmax) {
    const std::vector<ContinuationRequest> requests{
        {{5, 6, 7}, {8, 9}}, {{5, 6, 7}, {11}}, {{1}, {2}}, {{5, 6, 7}, {12}}};
    const auto scores = score(requests);
    EXPECT_NEAR(scores[0].log_probability, log_probability({5, 6, 7, 8}, {8, 9}), 1e-9);
    EXPECT_NEAR(scores[1].log_probability, log_probability({5, 6, 7}, {11}), 1e-9);
    EXPECT_NEAR(scores[2].log_probability, log_probability({1}, {2}), 1e-9);
    EXPECT_NEAR(scores[3].log_probability, log_probability({5, 6, 7}, {12}), 1e-9);
}

/// Whatever is kept of one text for the next, each has the score that it has alone.
TEST_F(ContinuationScores, TextsThatBeginAlikeAreScoredAsIfAlone) {
    std::vector<ContinuationRequest> requests;
    const std::vector<int32_t> passage{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (int32_t i = 0; i < 24; ++i) {
        ContinuationRequest request;
        request.context.assign(passage.begin(), passage.begin() + 1 + i % 12);
        if (i % 3 == 0) request.context.push_back(20 + i % 2);
        for (int32_t t = 0; t <= (i * 5) % 9; ++t) request.continuation.push_back(30 + (i + t) % 5);
        requests.push_back(request);
        if (i % 4 == 0) requests.push_back(request);  // some stand twice
    }
    const auto scores = score(requests);
    for (size_t i = 0; i < requests.size(); ++i) {
        std::vector<int32_t> read = requests[i].context;
        read.insert(read.end(), requests[i].continuation.begin(),
                    requests[i].continuation.end() - 1);
        EXPECT_NEAR(scores[i].log_probability, log_probability(read, requests[i].continuation),
                    1e-9)
            << i;
    }
}

/// Of the CPU, counting the rows that hold tokens.
struct RowCount {
    int64_t rows = 0, graphs = 0;
};

class CountingExecutor : public Executor {
  public:
    CountingExecutor(std::unique_ptr<Executor> executor, RowCount& count)
        : executor_(std::move(executor)), count_(count) {}

    const Graph& graph() const override { return executor_->graph(); }
    const Plan& plan() const override { return executor_->plan(); }
    int64_t allocated_bytes() const override { return executor_->allocated_bytes(); }
    void write(ValueId value, std::span<const std::byte> bytes) override {
        executor_->write(value, bytes);
    }
    void read(ValueId value, std::span<std::byte> bytes) const override {
        executor_->read(value, bytes);
    }
    void read_part(ValueId value, int64_t first, std::span<std::byte> bytes) const override {
        executor_->read_part(value, first, bytes);
    }
    void run(Phase phase, const StepContext& step) override {
        if (phase == Phase::kForward || phase == Phase::kDecode) count_.rows += step.rows;
        executor_->run(phase, step);
    }
    std::string find_nonfinite(Phase phase, const StepContext& step) override {
        return executor_->find_nonfinite(phase, step);
    }
    void set_timing(bool on) override { executor_->set_timing(on); }
    std::vector<OpTime> times() const override { return executor_->times(); }

  private:
    std::unique_ptr<Executor> executor_;
    RowCount& count_;
};

class CountingDevice : public ForwardingDevice {
  public:
    std::unique_ptr<Executor> prepare(const Graph& graph) override {
        ++count.graphs;
        return std::make_unique<CountingExecutor>(ForwardingDevice::prepare(graph), count);
    }

    RowCount count;
};

/// However long the choices of an item are. A text is fed in but for its last token.
TEST_F(ContinuationScores, WhatChoicesShareIsReadOnce) {
    std::vector<ContinuationRequest> requests;
    int64_t expected = 0;
    for (const int32_t item : {40, 60, 80}) {
        std::vector<int32_t> context(15, item);
        expected += 14;
        for (const int32_t length : {2, 3, 5, 9, 16}) {
            requests.push_back({context, std::vector<int32_t>(static_cast<size_t>(length))});
            for (int32_t t = 0; t < length; ++t)
                requests.back().continuation[static_cast<size_t>(t)] = 100 + length + t;
            expected += length;
        }
    }
    CountingDevice device;
    const auto scores = score_continuations(weights_, DType::kF64, device, requests);
    EXPECT_EQ(device.count.rows, expected);
    EXPECT_EQ(device.count.graphs, 1);
    for (size_t i = 0; i < requests.size(); ++i)
        EXPECT_NEAR(scores[i].log_probability, score({requests[i]})[0].log_probability, 1e-9) << i;
}

TEST_F(ContinuationScores, LongTextsLoseTheirBeginning) {
    ContinuationRequest request;  // block_size is 32
    for (int32_t token = 0; token < 50; ++token) request.context.push_back(token);
    request.continuation = {60, 61, 62};
    std::vector<int32_t> read(request.context.begin() + 20, request.context.end());
    read.insert(read.end(), {60, 61});
    ASSERT_EQ(read.size(), 32u);
    EXPECT_NEAR(score({request})[0].log_probability, log_probability(read, {60, 61, 62}), 1e-9);
}

TEST_F(ContinuationScores, GreedyIsWhatTheModelWouldSay) {
    LoadedModel model(weights_, DType::kF64, 3, *device_);
    const std::vector<double> logits = model.logits<double>(std::vector<int32_t>{5, 6, 7});
    const auto last = logits.end() - 300;
    const auto best = static_cast<int32_t>(std::max_element(last, logits.end()) - last);
    const auto scores =
        score({{{5, 6, 7}, {best}}, {{5, 6, 7}, {(best + 1) % 300}}, {{5, 6}, {7, best}}});
    EXPECT_TRUE(scores[0].greedy);
    EXPECT_FALSE(scores[1].greedy);
    EXPECT_GT(scores[0].log_probability, scores[1].log_probability);
}

TEST_F(ContinuationScores, RefuseWhatHasNoScore) {
    EXPECT_THROW(score({{{}, {1}}}), UserError);
    EXPECT_THROW(score({{{1}, {}}}), UserError);
    EXPECT_THROW(score({{{1}, {300}}}), UserError);
    EXPECT_THROW(score({{{-1}, {3}}}), UserError);
    EXPECT_NO_THROW(score({{{1}, std::vector<int32_t>(32, 3)}}));
    EXPECT_THROW(score({{{1}, std::vector<int32_t>(33, 3)}}), UserError);  // block_size is 32
    const CheckpointWeights encoder = open({{"causal", false}});
    const std::vector<ContinuationRequest> one{{{1}, {2}}};
    EXPECT_THROW(score_continuations(encoder, DType::kF32, *device_, one), UserError);
}

// The first of several choices was the best where none had a number.
TEST(CheckLogits, RefuseWhatIsNoNumber) {
    EXPECT_NO_THROW(check_logits(std::vector<double>{1, -2}));
    EXPECT_THROW(check_logits(std::vector<double>{1, std::nan("")}), UserError);
    EXPECT_THROW(check_logits(std::vector<double>{HUGE_VAL}), UserError);
}

TEST(SampleMean, HasTheStandardErrorOfTheSample) {
    const SampleMean mean = sample_mean(std::vector<double>{1, 0, 0, 1, 1});
    EXPECT_DOUBLE_EQ(mean.mean, 0.6);
    EXPECT_NEAR(mean.standard_error, std::sqrt(1.2 / 4 / 5), 1e-15);
    EXPECT_TRUE(std::isnan(sample_mean(std::vector<double>{3}).standard_error)) << "nobody knows";
    EXPECT_EQ(error_text(sample_mean(std::vector<double>{3})), "");
    EXPECT_EQ(error_text(sample_mean(std::vector<double>{1, 2})), " ± 0.5000");
    EXPECT_EQ(sample_mean({}).count, 0);
    const SampleMean both = mean_of_means(std::vector<SampleMean>{{0.5, 0.3, 10}, {0.7, 0.4, 6}});
    EXPECT_DOUBLE_EQ(both.mean, 0.6);
    EXPECT_DOUBLE_EQ(both.standard_error, 0.25);
    EXPECT_EQ(both.count, 16);
}

}  // namespace
}  // namespace headroom
