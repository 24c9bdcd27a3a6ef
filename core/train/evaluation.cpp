#include "core/train/evaluation.h"

#include "core/device/batch_inputs.h"
#include "core/model/weight_layout.h"
#include "core/weights/load_weights.h"

namespace headroom {
namespace {

/// Of every layer with a router.
std::vector<double> read_routers(const Executor& executor,
                                 const std::vector<RouterValue>& routers) {
    std::vector<double> all;
    for (const RouterValue& router : routers) {
        const TensorType& type = executor.graph().value(router.stats).type;
        std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
        executor.read(router.stats, bytes);
        const auto append = [&]<class A>(A) {
            const auto* numbers = reinterpret_cast<const A*>(bytes.data());
            all.insert(all.end(), numbers, numbers + type.count());
        };
        type.dtype == DType::kF64 ? append(double{}) : append(float{});
    }
    return all;
}

}  // namespace

std::vector<double> LossSum::router_means() const {
    std::vector<double> means;
    for (const double sum : routers)
        if (batches > 0) means.push_back(sum / static_cast<double>(batches));
    return means;
}

LossSum evaluate_loss(Executor& executor, const EvaluationValues& values, const DataSource& data,
                      int64_t eval_batches) {
    Batch batch = batch_for(executor.graph(), values.inputs);
    LossSum sum;
    const bool tells = values.eval_correct != kNoValue;
    if (tells) sum.correct = 0;
    for (int64_t index = 0; index < eval_batches; ++index) {
        if (index == 0) data.eval_batch(0, batch);
        write_batch(executor, values.inputs, batch);
        executor.run(Phase::kEvaluate, {});
        const int64_t count = count_valid(batch.targets());
        sum.batch_hash = batch.hash(sum.batch_hash);
        // While the device is at work.
        if (index + 1 < eval_batches) data.eval_batch(index + 1, batch);
        sum.nats += executor.watched(values.eval_loss) * static_cast<double>(count);
        if (tells) sum.correct += executor.watched(values.eval_correct);
        sum.targets += count;
        ++sum.batches;
        const std::vector<double> told = read_routers(executor, values.routers);
        sum.routers.resize(told.size());
        for (size_t i = 0; i < told.size(); ++i) sum.routers[i] += told[i];
    }
    return sum;
}

void watch_evaluation(Executor& executor, const EvaluationValues& values) {
    executor.watch(values.eval_loss);
    if (values.eval_correct != kNoValue) executor.watch(values.eval_correct);
}

EvaluationSession::EvaluationSession(const Job& job, const DataSource& data, Device& device)
    : job_(job), data_(job, data) {
    device.check_precision(job.precision);
    evaluation_ = build_evaluation_graph(job);
    lay_out_weights(evaluation_.graph, device, job.precision);
    executor_ = device.prepare(evaluation_.graph);
    watch_evaluation(*executor_, evaluation_.values);
}

void EvaluationSession::load(const WeightSource& weights) {
    load_weights(*executor_, evaluation_.parameters, weights);
}

LossSum EvaluationSession::evaluate_sum() {
    return evaluate_loss(*executor_, evaluation_.values, data_, job_.train.eval_batches);
}

}  // namespace headroom
