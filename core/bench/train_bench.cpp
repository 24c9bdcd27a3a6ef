#include "core/bench/train_bench.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/data/random_tokens.h"
#include "core/train/training_session.h"

namespace headroom {
namespace {

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

/// Seconds of each of `steps` steps after step `step`, sorted.
std::vector<double> time_steps(TrainingSession& session, int64_t& step, int steps) {
    std::vector<double> seconds;
    for (int n = 0; n < steps; ++n) {
        const double start = now_s();
        session.step(++step);
        seconds.push_back(now_s() - start);
    }
    std::sort(seconds.begin(), seconds.end());
    return seconds;
}

}  // namespace

double time_training_step(const Job& job, Device& device) {
    const RandomTokens data(job.model.vocab_size - job.train.added_tokens());
    TrainingSession session(job, data, device);
    session.initialize();
    int64_t step = 1;
    session.step(step);
    return time_steps(session, step, 3)[1];
}

TrainBench bench_training(const Job& job, Device& device, int steps) {
    const RandomTokens data(job.model.vocab_size - job.train.added_tokens());
    TrainingSession session(job, data, device);
    session.initialize();
    int64_t step = 0;
    constexpr int64_t kWarmUp = 3;  // a device that records its steps plays them from the third on
    while (step < kWarmUp) session.step(++step);

    const std::vector<double> seconds = time_steps(session, step, steps);

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
