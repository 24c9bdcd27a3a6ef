#include "core/train/training_session.h"

#include <cmath>
#include <span>

#include <fmt/format.h>

#include "core/config/learning_rate.h"
#include "core/device/batch_inputs.h"
#include "core/model/gradient_norm.h"
#include "core/model/router_numbers.h"
#include "core/model/weight_layout.h"
#include "core/surgery/norm_surgery.h"
#include "core/train/initial_weights.h"
#include "core/weights/load_weights.h"

namespace headroom {

NonFiniteError::NonFiniteError(int64_t step, const StepResult& result, const std::string& first)
    : EnvironmentError(
          fmt::format(
              "step {}: loss {}, gradient norm {}: the first value that is not finite is {}", step,
              result.loss, result.grad_norm, first),
          "lower train.lr, lengthen train.warmup_steps or set train.grad_clip"),
      result_(result) {}

TrainingSession::TrainingSession(const Job& job, const DataSource& data, Device& device,
                                 ProcessGroup& group)
    : job_(job), device_(device), group_(group), share_(job, data, group) {
    device.check_precision(job.precision);
    training_ = build_training_graph(
        share_.job(), share_.has_mean_over() ? MeanOver::kGiven : MeanOver::kOwnTargets);
    lay_out_weights(training_.graph, device, job.precision);
    if (device.tells_norms() && group.is_alone()) tell_gradient_norms(training_.graph, job);
    executor_ = device.prepare(training_.graph);
    for (MicroBatch* micro : {&now_, &next_})
        micro->batch = batch_for(training_.graph, training_.values.inputs);
    for (const ValueId number : {training_.loss, training_.correct, training_.grad_norm})
        if (number != kNoValue) executor_->watch(number);
    watch_evaluation(*executor_, training_.values);
}

void TrainingSession::initialize() {
    if (job_.train.starts_from_file()) {
        const InitialWeights initial =
            InitialWeights::open(job_, [this](const WeightSource& source) {
                fetch(1, 0, now_);
                now_.step = 0;  // the first step fetches its own
                return measure_norm_scales(source, now_.batch.tokens(), share_.job().train.seq_len,
                                           device_);
            });
        load_weights(*executor_, training_.parameters, *initial.weights);
        return;
    }
    initialize_weights(*executor_, training_.parameters, static_cast<uint64_t>(job_.seed));
}

int64_t TrainingSession::restore(const CheckpointFiles& files) {
    load_weights(*executor_, training_.parameters, SafetensorsFile::open(files.weights));
    load_moments(*executor_, training_.parameters, SafetensorsFile::open(files.optimizer));
    return files.step;
}

void TrainingSession::save(const std::filesystem::path& checkpoints,
                           const CheckpointMetadata& metadata) const {
    save_training_checkpoint(*executor_, training_.parameters, checkpoints, metadata);
}

int64_t TrainingSession::tokens_per_step() const {
    return job_.train.batch_size * job_.train.seq_len * job_.train.grad_accum;
}

void TrainingSession::fetch(int64_t step, int64_t micro, MicroBatch& to) const {
    to.step = 0;
    share_.train_batch(step, micro, to.batch);
    to.step = step;
    to.micro = micro;
}

/// The batch after this one, while the device is at work.
void TrainingSession::fetch_ahead(const StepContext& context) {
    const bool more = context.micro + 1 < share_.job().train.grad_accum;
    if (!more && context.step >= job_.train.steps) return;
    try {
        fetch(more ? context.step : context.step + 1, more ? context.micro + 1 : 0, next_);
    } catch (const std::exception&) {
        // Told when the batch is needed.
    }
}

double TrainingSession::run_micro_batch(const StepContext& context, StepResult& result) {
    if (next_.step != context.step || next_.micro != context.micro)
        fetch(context.step, context.micro, next_);
    std::swap(now_, next_);
    write_batch(*executor_, training_.values.inputs, now_.batch);
    executor_->run(Phase::kForward, context);
    executor_->run(Phase::kBackward, context);
    result.batch_hash = now_.batch.hash(result.batch_hash);
    fetch_ahead(context);
    return executor_->watched(training_.loss);
}

/// Up to the first whose loss is not finite. Returns 1 if there was one, else 0.
double TrainingSession::run_micro_batches(StepContext& context, StepResult& result) {
    const int64_t micros = share_.job().train.grad_accum;
    for (context.micro = 0; context.micro < micros; ++context.micro) {
        const double loss = run_micro_batch(context, result);
        result.loss += loss / static_cast<double>(micros);
        if (tells_classes()) result.accuracy += executor_->watched(training_.correct);
        if (!std::isfinite(loss)) return 1;
    }
    context.micro = micros - 1;
    return 0;
}

void TrainingSession::write_mean_over(int64_t step) {
    if (!share_.has_mean_over()) return;
    const double targets = share_.mean_over(step);
    executor_->write(training_.mean_over, std::as_bytes(std::span(&targets, 1)));
}

StepResult TrainingSession::step(int64_t step) {
    StepResult result;
    result.lr = learning_rate(job_.train, step);
    result.batch_hash = kHashSeed;
    if (tells_classes()) result.accuracy = 0;
    write_mean_over(step);
    StepContext context{share_.seed(), step, 0, result.lr};
    const double failed = run_micro_batches(context, result);
    double sums[] = {result.loss, failed, result.accuracy};
    group_.sum(std::span<double>(sums));
    result.accuracy = sums[2] / static_cast<double>(job_.train.batch_size * job_.train.grad_accum);
    if (failed == 0 && sums[1] > 0) {
        result.loss = std::nan("");  // this process's share is not the step's
        throw NonFiniteError(step, result, "in the share of another process");
    }
    if (failed > 0) report_nonfinite(context, result, false);
    result.loss = sums[0] / group_.size();
    if (!group_.is_alone()) result.batch_hash = share_.step_hash(step, now_.batch);
    average_gradients();
    executor_->run(Phase::kUpdate, context);
    result.grad_norm = executor_->watched(training_.grad_norm);
    if (!std::isfinite(result.grad_norm)) report_nonfinite(context, result, true);
    return result;
}

void TrainingSession::average_gradients() {
    if (group_.is_alone()) return;
    std::vector<ValueId> gradients;
    for (const GraphParameter& parameter : training_.parameters)
        if (parameter.gradient != kNoValue) gradients.push_back(parameter.gradient);
    executor_->all_reduce_mean(gradients, group_);
}

void TrainingSession::broadcast_state() {
    if (group_.is_alone()) return;
    std::vector<std::byte> bytes;
    for (const GraphParameter& parameter : training_.parameters)
        for (const ValueId id : {parameter.value, parameter.moment1, parameter.moment2}) {
            if (id == kNoValue) continue;
            bytes.resize(static_cast<size_t>(training_.graph.value(id).type.bytes()));
            executor_->read(id, bytes);
            group_.broadcast(bytes);
            executor_->write(id, bytes);
        }
    executor_->run(Phase::kPrepare, {});
}

/// Repeats the last micro-batch, looking at every value. The update leaves the weights alone when
/// the norm is not finite, so that the repetition meets the same weights.
void TrainingSession::report_nonfinite(const StepContext& context, const StepResult& result,
                                       bool updated) {
    std::string first = executor_->find_nonfinite(Phase::kForward, context);
    if (first.empty()) first = executor_->find_nonfinite(Phase::kBackward, context);
    if (first.empty()) first = updated ? "a gradient of an earlier micro-batch" : "the loss";
    throw NonFiniteError(context.step, result, first);
}

LossSum TrainingSession::evaluate_sum() {
    const LossSum own =
        evaluate_loss(*executor_, training_.values, share_, share_.job().train.eval_batches);
    std::vector<double> sums{own.nats, static_cast<double>(own.targets), own.correct,
                             static_cast<double>(own.batches)};
    const size_t numbers = sums.size();
    sums.insert(sums.end(), own.routers.begin(), own.routers.end());
    // A process may have no batch.
    sums.resize(numbers + static_cast<size_t>(count_router_stats(job_.model)));
    group_.sum(std::span<double>(sums));
    LossSum all{sums[0], static_cast<int64_t>(sums[1]), sums[2]};
    all.batches = static_cast<int64_t>(sums[3]);
    all.batch_hash = group_.is_alone() ? own.batch_hash : evaluation_hash();
    all.routers.assign(sums.begin() + static_cast<std::ptrdiff_t>(numbers), sums.end());
    return all;
}

}  // namespace headroom
