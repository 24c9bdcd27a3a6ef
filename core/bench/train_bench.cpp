#include "core/bench/train_bench.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/data/random_tokens.h"
#include "core/stats/median.h"
#include "core/train/training_session.h"

namespace headroom {
namespace {

/// Seconds of some steps, and the device's product rate around each of them.
struct TimedSteps {
    std::vector<double> seconds, rates;
};

/// `steps` steps after step `step`.
TimedSteps time_steps(TrainingSession& session, int64_t& step, int steps,
                      const std::function<double()>& product_rate) {
    TimedSteps timed;
    double before = product_rate();
    for (int n = 0; n < steps; ++n) {
        const double start = now_s();
        session.step(++step);
        timed.seconds.push_back(now_s() - start);
        const double after = product_rate();
        timed.rates.push_back((before + after) / 2);
        before = after;
    }
    return timed;
}

/// What the operators take in one of `steps` steps.
std::vector<OpTime> take_op_times(TrainingSession& session, int steps) {
    std::vector<OpTime> ops = session.executor().times();
    for (OpTime& time : ops) {
        time.seconds /= steps;
        time.launches /= steps;
        time.cost.flops /= steps;
        time.cost.bytes /= steps;
    }
    return ops;
}

}  // namespace

double time_training_step(const Job& job, Device& device) {
    const RandomTokens data(job.model.vocab_size - job.train.added_tokens());
    TrainingSession session(job, data, device);
    session.initialize();
    int64_t step = 1;
    session.step(step);
    return median(time_steps(session, step, 3, [] { return 0.0; }).seconds);
}

TrainBench bench_training(const Job& job, Device& device, int steps,
                          const std::function<double()>& product_rate) {
    const RandomTokens data(job.model.vocab_size - job.train.added_tokens());
    TrainingSession session(job, data, device);
    session.initialize();
    int64_t step = 0;
    constexpr int64_t kWarmUp = 3;  // a device that records its steps plays them from the third on
    while (step < kWarmUp) session.step(++step);

    const TimedSteps timed = time_steps(session, step, steps, product_rate);
    std::vector<double> products(timed.seconds);
    for (size_t i = 0; i < products.size(); ++i) products[i] *= timed.rates[i];

    TrainBench bench;
    bench.tokens_per_step = session.tokens_per_step();
    bench.step_seconds = median(timed.seconds);
    bench.best_step_seconds = *std::min_element(timed.seconds.begin(), timed.seconds.end());
    bench.tokens_per_second = static_cast<double>(bench.tokens_per_step) / bench.step_seconds;
    bench.product_flops_per_step = median(products);
    bench.arena_bytes = session.executor().allocated_bytes();
    session.executor().set_timing(true);
    const int op_steps = (steps + 1) / 2;
    bench.product_rate = median(time_steps(session, step, op_steps, product_rate).rates);
    bench.ops = take_op_times(session, op_steps);
    session.executor().set_timing(false);
    return bench;
}

double TrainBench::bytes_per_step() const {
    double bytes = 0;
    for (const OpTime& op : ops) bytes += op.cost.bytes;
    return bytes;
}

}  // namespace headroom
