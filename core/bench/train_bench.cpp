#include "core/bench/train_bench.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/philox.h"
#include "core/train/training_session.h"

namespace headroom {
namespace {

/// Uniformly random tokens: what they are does not change the time of a step.
class RandomTokens : public BatchSource {
  public:
    explicit RandomTokens(int64_t vocab_size) : vocab_size_(vocab_size) {}

    int64_t vocab_size() const override { return vocab_size_; }
    void train_batch(int64_t step, int64_t micro, int64_t, int64_t, std::span<int32_t> inputs,
                     std::span<int32_t> targets) const override {
        fill(static_cast<uint32_t>(step), static_cast<uint32_t>(micro), inputs);
        fill(static_cast<uint32_t>(step), static_cast<uint32_t>(micro) + 1, targets);
    }
    void eval_batch(int64_t index, int64_t batch_size, int64_t seq_len, std::span<int32_t> inputs,
                    std::span<int32_t> targets) const override {
        train_batch(index, 0, batch_size, seq_len, inputs, targets);
    }
    std::string describe() const override { return "random tokens"; }

  private:
    void fill(uint32_t step, uint32_t stream, std::span<int32_t> tokens) const {
        for (size_t i = 0; i < tokens.size(); ++i) {
            const uint32_t word =
                Philox::block({static_cast<uint32_t>(i), step, stream, 0}, 0, 0)[0];
            tokens[i] = static_cast<int32_t>(word % static_cast<uint64_t>(vocab_size_));
        }
    }
    int64_t vocab_size_;
};

/// What the operators take in one of the `steps` after step `step`.
std::vector<OpTime> time_ops(TrainingSession& session, int64_t step, int steps) {
    session.executor().set_timing(true);
    for (int n = 0; n < steps; ++n) session.step(++step);
    std::vector<OpTime> ops = session.executor().times();
    session.executor().set_timing(false);
    for (OpTime& time : ops) {
        time.seconds /= steps;
        time.launches /= steps;
        time.cost.flops /= steps;
        time.cost.bytes /= steps;
    }
    return ops;
}

}  // namespace

TrainBench bench_training(const Job& job, Device& device, int steps) {
    const RandomTokens data(job.model.vocab_size);
    TrainingSession session(job, data, device);
    session.initialize();
    int64_t step = 0;
    constexpr int64_t kWarmUp = 3;  // a device that records its steps plays them from the third on
    while (step < kWarmUp) session.step(++step);

    std::vector<double> seconds;
    for (int n = 0; n < steps; ++n) {
        const double start = now_s();
        session.step(++step);
        seconds.push_back(now_s() - start);
    }
    std::sort(seconds.begin(), seconds.end());

    TrainBench bench;
    bench.tokens_per_step = session.tokens_per_step();
    bench.step_seconds = seconds[seconds.size() / 2];
    bench.best_step_seconds = seconds.front();
    bench.tokens_per_second = static_cast<double>(bench.tokens_per_step) / bench.step_seconds;
    bench.arena_bytes = session.executor().allocated_bytes();
    bench.ops = time_ops(session, step, (steps + 1) / 2);
    return bench;
}

double TrainBench::bytes_per_step() const {
    double bytes = 0;
    for (const OpTime& op : ops) bytes += op.cost.bytes;
    return bytes;
}

}  // namespace headroom
