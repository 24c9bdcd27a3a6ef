#include "core/train/training_session.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/model/weights_io.h"
#include "core/train/evaluation.h"
#include "core/train/initial_weights.h"
#include "core/train/schedule.h"

namespace headroom {

NonFiniteError::NonFiniteError(int64_t step, const StepResult& result, const std::string& first)
    : EnvironmentError(
          fmt::format(
              "step {}: loss {}, gradient norm {}: the first value that is not finite is {}", step,
              result.loss, result.grad_norm, first),
          "lower train.lr, lengthen train.warmup_steps or set train.grad_clip"),
      result_(result) {}

TrainingSession::TrainingSession(const Job& job, const BatchSource& data, Device& device)
    : job_(job), data_(data) {
    device.check_precision(job.precision);
    training_ = build_training_graph(job);
    executor_ = device.prepare(training_.graph);
    const auto tokens = static_cast<size_t>(job.train.batch_size * job.train.seq_len);
    inputs_.resize(tokens);
    targets_.resize(tokens);
}

void TrainingSession::initialize() {
    if (job_.train.starts_from_file()) {
        InitialWeights::open(job_).load(*executor_, training_.parameters);
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

double TrainingSession::run_micro_batch(const StepContext& context, StepResult& result) {
    data_.train_batch(context.step, context.micro, job_.train.batch_size, job_.train.seq_len,
                      inputs_, targets_);
    result.batch_hash = hash_tokens(inputs_, targets_, result.batch_hash);
    executor_->write(training_.values.tokens, std::as_bytes(std::span(inputs_)));
    executor_->write(training_.values.targets, std::as_bytes(std::span(targets_)));
    executor_->run(Phase::kForward, context);
    executor_->run(Phase::kBackward, context);
    return read_scalar(*executor_, training_.loss);
}

StepResult TrainingSession::step(int64_t step) {
    StepResult result;
    result.lr = learning_rate(job_.train, step);
    result.batch_hash = kHashSeed;
    StepContext context{static_cast<uint64_t>(job_.seed), step, 0, result.lr};
    const int64_t micros = job_.train.grad_accum;
    for (context.micro = 0; context.micro < micros; ++context.micro) {
        const double loss = run_micro_batch(context, result);
        result.loss += loss / static_cast<double>(micros);
        if (!std::isfinite(loss)) report_nonfinite(context, result, false);
    }
    context.micro = micros - 1;
    executor_->run(Phase::kUpdate, context);
    result.grad_norm = read_scalar(*executor_, training_.grad_norm);
    if (!std::isfinite(result.grad_norm)) report_nonfinite(context, result, true);
    return result;
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

double TrainingSession::evaluate() {
    return evaluate_loss(*executor_, training_.values, data_, job_.train);
}

void resolve_vocab_size(Job& job, const BatchSource& data) {
    const int64_t needed = data.vocab_size();
    if (job.model.vocab_size == 0) job.model.vocab_size = needed;
    if (job.model.vocab_size >= needed) return;
    throw UserError(fmt::format("model.vocab_size is {}, but the data have {} different tokens",
                                job.model.vocab_size, needed),
                    fmt::format("set model.vocab_size to {} or more", needed));
}

}  // namespace headroom
