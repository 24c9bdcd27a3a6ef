#include "core/train/evaluation.h"

#include <algorithm>
#include <vector>

#include "core/weights/load_weights.h"

namespace headroom {

LossSum evaluate_loss(Executor& executor, const EvaluationValues& values, const BatchSource& data,
                      const TrainConfig& train) {
    const auto size = static_cast<size_t>(train.batch_size * train.seq_len);
    std::vector<int32_t> inputs(size), targets(size);
    LossSum sum;
    const auto fetch = [&](int64_t index) {
        data.eval_batch(index, train.batch_size, train.seq_len, inputs, targets);
    };
    for (int64_t index = 0; index < train.eval_batches; ++index) {
        if (index == 0) fetch(0);
        executor.write(values.tokens, std::as_bytes(std::span(inputs)));
        executor.write(values.targets, std::as_bytes(std::span(targets)));
        executor.run(Phase::kEvaluate, {});
        const int64_t count = std::count_if(targets.begin(), targets.end(),
                                            [](int32_t t) { return t != kIgnoredTarget; });
        if (index + 1 < train.eval_batches) fetch(index + 1);  // while the device is at work
        sum.nats += executor.watched(values.eval_loss) * static_cast<double>(count);
        sum.targets += count;
    }
    return sum;
}

EvaluationSession::EvaluationSession(const Job& job, const BatchSource& data, Device& device)
    : job_(job), data_(data) {
    device.check_precision(job.precision);
    evaluation_ = build_evaluation_graph(job);
    executor_ = device.prepare(evaluation_.graph);
    executor_->watch(evaluation_.values.eval_loss);
}

void EvaluationSession::load(const WeightSource& weights) {
    load_weights(*executor_, evaluation_.parameters, weights);
}

double EvaluationSession::evaluate() {
    return evaluate_loss(*executor_, evaluation_.values, data_, job_.train).mean();
}

}  // namespace headroom
