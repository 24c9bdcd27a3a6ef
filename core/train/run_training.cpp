#include "core/train/run_training.h"

#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/build_info.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/system_info.h"
#include "core/config/job_json.h"
#include "core/config/objective_json.h"
#include "core/log/run_log_reader.h"
#include "core/log/run_log_writer.h"
#include "core/model/router_numbers.h"
#include "core/probe/training_probes.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "core/train/divergence.h"
#include "core/train/group_protocol.h"
#include "core/train/initial_weights.h"
#include "core/train/resume_checks.h"
#include "core/train/training_session.h"

namespace headroom {
namespace {

constexpr auto kPausePoll = std::chrono::milliseconds(100);
constexpr double kSystemRowSeconds = 1.0;

/// Seconds of work: continued over a resume, pauses left out.
class WorkClock {
  public:
    explicit WorkClock(double already) : started_(now_s() - already) {}
    double seconds() const { return now_s() - started_; }
    void leave_out(double seconds) { started_ += seconds; }

  private:
    double started_;
};

constexpr const char* kClippedShare = "clipped_share";
constexpr const char* kEvalSeconds = "eval_seconds";
constexpr const char* kTrainAccuracy = "train_accuracy";

/// What this job's log says beside losses: a row for each evaluation, of train_accuracy for each
/// step.
std::vector<ScalarInfo> scalars_of(const Job& job) {
    std::vector<ScalarInfo> scalars;
    if (job.train.eval_every > 0)
        scalars.push_back({kEvalSeconds, "s", "Time that the evaluation took"});
    if (job.train.eval_every > 0 && job.train.grad_clip > 0)
        scalars.push_back({kClippedShare, "",
                           "Share of the steps since the last evaluation whose gradient was longer "
                           "than train.grad_clip"});
    if (job.model.reads_images()) {
        scalars.push_back({kTrainAccuracy, "", "Share of the step's images told rightly"});
        if (job.train.eval_every > 0)
            scalars.push_back({kValAccuracy, "", "Share of the validation images told rightly"});
    }
    if (job.train.eval_every > 0)
        for (RouterNumber& number : router_numbers(job.model, {}))
            scalars.push_back(std::move(number.info));
    for (ScalarInfo& scalar : probe_scalars(job)) scalars.push_back(std::move(scalar));
    return scalars;
}

class TrainingRun {
  public:
    TrainingRun(const Job& job, const std::filesystem::path& run_dir, const DataSource& data,
                Device& device, const RunOptions& options)
        : job_(job),
          data_(data),
          device_(device),
          options_(options),
          folder_(open_folder(run_dir, options.resume)),
          lock_(RunLock::acquire(run_dir)),
          session_(job, data, device, *options.group),
          attributes_{to_json(job_as_stored(folder_, job)).dump(), program_version(), host_name(),
                      device.description(), iso_time_now()} {
        clear_request(run_dir);
        for (const auto& file : {folder_.job(), folder_.worker()})  // of one that was killed
            remove_stale_temporaries_of(file);
        write_worker_info(run_dir);  // first, so that a queue sees a worker from the beginning
        start_or_resume();
        check_same_work(*options.group, job, data);
        session_.broadcast_state();
        control_.emplace(run_dir);
    }

    RunState run() {
        const RunState end = train_into_log();
        require_log();
        return end;
    }

  private:
    RunState train_into_log() {
        try {
            log_->set_state(RunState::kRunning);
            const RunState end = train();
            if (!helpers_left_) command(GroupTask::kEnd);
            log_->set_state(end);
            log_->close();
            return end;
        } catch (...) {
            mark_failed();
            throw;
        }
    }

    static RunFolder open_folder(const std::filesystem::path& run_dir, bool resume) {
        if (!resume && std::filesystem::exists(RunFolder{run_dir}.log()))
            throw UserError(fmt::format("{} holds a run already", run_dir.string()),
                            "continue it with --resume, or choose another --out");
        return create_run_folder(run_dir);
    }

    void start_or_resume() {
        const bool resuming = options_.resume && std::filesystem::exists(folder_.log());
        std::optional<CheckpointFiles> checkpoint;
        if (resuming) {
            const RunTail tail = RunLogReader::open(folder_.log()).tail();
            const Job before = job_of_log(tail);
            // What stands open, as warm-up does, follows the steps, and is no key that a user gave.
            if (before.train.cosine_steps() != job_.train.cosine_steps())
                check_same_steps(folder_, before, job_, tail.step);
            check_same_job(folder_, before, job_);
            check_same_steps(folder_, before, job_, tail.step);
            checkpoint = newest_checkpoint(folder_.checkpoints(), tail.step);
            check_checkpoints(folder_, before, tail, checkpoint, options_.on_warning);
        }
        if (checkpoint)
            step_ = restore(*checkpoint);
        else
            session_.initialize();
        if (step_ > 0) check_same_data(folder_, job_, session_, step_);
        write_job(folder_, job_);
        log_.emplace(resuming
                         ? RunLogWriter::resume(folder_.log(), step_, attributes_, scalars_of(job_))
                         : RunLogWriter::create(folder_.log(), attributes_, scalars_of(job_)));
        watch_.emplace(job_.model.vocab_size, job_.train.steps);
        if (step_ > 0) take_rows_before_resume();
        starts_from_weights_ = step_ == 0 && job_.train.starts_from_file() &&
                               job_.train.eval_every > 0 &&
                               (!resuming || read_run_log(folder_.log()).val.step.empty());
        clock_ = WorkClock(log_->seconds_at_start());
        last_system_ = log_->seconds_at_start();
    }

    /// From an older one where this one is damaged in what only reading it tells.
    int64_t restore(CheckpointFiles files) {
        for (;;) {
            try {
                return session_.restore(files);
            } catch (const UserError& error) {
                const auto older = newest_checkpoint(folder_.checkpoints(), files.step - 1);
                if (!older) throw;
                if (options_.on_warning)
                    options_.on_warning(
                        fmt::format("goes on from step {}: {}", older->step, error.what()));
                files = *older;
            }
        }
    }

    Job job_of_log(const RunTail& tail) const {
        const std::string log = folder_.log().string();
        return parse_run_job(folder_, parse_json(tail.attributes.job_json, log), log);
    }

    /// Another program may have removed it or written over it, which no writing tells.
    void require_log() const {
        const std::string log = folder_.log().string();
        std::string problem = "ends elsewhere";
        try {
            if (RunLogReader::open(log).tail().step == step_) return;
        } catch (const UserError& error) {
            problem = error.what();
        }
        throw EnvironmentError(
            fmt::format("{} was removed or written over while the run trained ({})", log, problem),
            fmt::format("the weights are in {}", folder_.checkpoints().string()));
    }

    RunState train() {
        const int64_t steps = job_.train.steps;
        if (starts_from_weights_) evaluate();
        if (steps == 0) save_checkpoint();
        if (step_ > 0 || steps == 0) probe();  // what the last worker did not get to
        while (step_ < steps) {
            if (obey_requests() == ControlRequest::kStop) {
                if (step_ > 0) save_checkpoint();
                return RunState::kStopped;
            }
            if (const std::string why = train_one_step(); !why.empty()) {
                log_->flush();
                if (options_.on_warning) options_.on_warning("diverged: " + why);
                return RunState::kDiverged;
            }
            const bool last = step_ == steps;
            const int64_t eval_every = job_.train.eval_every;
            const bool evaluated = eval_every > 0 && (last || is_due(eval_every));
            if (evaluated) evaluate();
            log_->flush();
            if (last || is_due(job_.train.checkpoint_every)) save_checkpoint();
            probe();
            report(evaluated);
        }
        return RunState::kFinished;
    }

    /// Whether this step ends a stretch of `every` steps; 0 = never.
    bool is_due(int64_t every) const { return every > 0 && step_ % every == 0; }

    ControlRequest obey_requests() {
        if (options_.stop != nullptr && options_.stop->load()) return ControlRequest::kStop;
        ControlRequest request = control_->poll();
        if (request != ControlRequest::kPause) return request;
        const double paused_at = now_s();
        log_->set_state(RunState::kPaused);
        while (request == ControlRequest::kPause) {
            std::this_thread::sleep_for(kPausePoll);
            log_->heartbeat();
            const bool stopped = options_.stop != nullptr && options_.stop->load();
            request = stopped ? ControlRequest::kStop : control_->poll();
        }
        clock_.leave_out(now_s() - paused_at);
        log_->set_state(RunState::kRunning);
        return request;
    }

    /// Returns why the run has diverged with it, or "".
    std::string train_one_step() {
        const double start = clock_.seconds();
        StepResult result;
        try {
            command(GroupTask::kStep);
            result = session_.step(step_ + 1);
        } catch (const NonFiniteError& error) {
            ++step_;
            append_row(error.result());
            helpers_left_ = true;
            return error.what();
        }
        ++step_;
        append_row(result);
        const double seconds = clock_.seconds();
        const double step_seconds = seconds - start;
        // The rate shown is a running mean over about the last ten steps.
        mean_step_seconds_ =
            mean_step_seconds_ == 0 ? step_seconds : 0.9 * mean_step_seconds_ + 0.1 * step_seconds;
        loss_ = result.loss;
        count_clipped(static_cast<float>(result.grad_norm));
        if (seconds - last_system_ >= kSystemRowSeconds) {
            last_system_ = seconds;
            log_->append_system({seconds, session_.executor().allocated_bytes(), resident_bytes(),
                                 static_cast<float>(tokens_per_second())});
        }
        return watch_->add(static_cast<float>(result.loss));  // as a resumed run reads it
    }

    void append_row(const StepResult& result) {
        log_->append_train({step_, tokens(), static_cast<float>(result.loss),
                            static_cast<float>(result.lr), static_cast<float>(result.grad_norm),
                            clock_.seconds(), result.batch_hash});
        if (job_.model.reads_images())
            log_->append_scalar(kTrainAccuracy, step_, static_cast<float>(result.accuracy));
    }

    void count_clipped(float grad_norm) {
        ++steps_since_eval_;
        if (grad_norm > static_cast<float>(job_.train.grad_clip)) ++clipped_since_eval_;
    }

    /// What the worker before this one had counted, so that the log goes on as if undisturbed.
    void take_rows_before_resume() {
        const RunSeries rows = read_run_log(folder_.log());
        const int64_t evaluated = rows.val.step.empty() ? 0 : rows.val.step.back();
        for (size_t i = 0; i < rows.train.step.size(); ++i) {
            if (rows.train.step[i] > evaluated) count_clipped(rows.train.grad_norm[i]);
            watch_->add(rows.train.loss[i]);
        }
        resumed_at_ = step_;
        for (const auto& [name, scalar] : rows.scalars)
            if (!scalar.step.empty() && scalar.step.back() == step_) said_before_.insert(name);
    }

    void evaluate() {
        const double start = now_s();
        command(GroupTask::kEvaluate);
        const LossSum sum = session_.evaluate_sum();
        val_loss_ = sum.mean();
        val_accuracy_ = sum.accuracy();
        log_->append_val({step_, tokens(), static_cast<float>(val_loss_), sum.batch_hash});
        if (job_.model.reads_images())
            log_->append_scalar(kValAccuracy, step_, static_cast<float>(val_accuracy_));
        if (const std::vector<double> means = sum.router_means(); !means.empty())
            for (const RouterNumber& number : router_numbers(job_.model, means))
                log_->append_scalar(number.info.name, step_, static_cast<float>(number.value));
        log_->append_scalar(kEvalSeconds, step_, static_cast<float>(now_s() - start));
        if (job_.train.grad_clip > 0 && steps_since_eval_ > 0)
            log_->append_scalar(
                kClippedShare, step_,
                static_cast<float>(clipped_since_eval_) / static_cast<float>(steps_since_eval_));
        steps_since_eval_ = clipped_since_eval_ = 0;
    }

    void save_checkpoint() {
        log_->sync();  // a checkpoint must never be ahead of its log
        CheckpointMetadata metadata;
        metadata.config_json = to_json(job_.model).dump();
        metadata.step = step_;
        metadata.tokens = tokens();
        const std::string tokenizer = data_.info().tokenizer_json;
        if (!tokenizer.empty()) metadata.other["tokenizer"] = tokenizer;
        if (job_.train.is_masked()) metadata.other["objective"] = objective_json(job_.train);
        session_.save(folder_.checkpoints(), metadata);
        prune_checkpoints(folder_.checkpoints(), job_.train.keep_checkpoints);
    }

    /// The probes that are due; their time is not the training's.
    void probe() {
        if (job_.probes.empty()) return;
        const double start = now_s();
        TrainingProbeHooks hooks;
        hooks.token_text = options_.token_text;
        hooks.convert = converted_weights;
        hooks.score_tasks = options_.score_tasks;
        hooks.on_scalar = [this](const std::string& name, double value) {
            if (step_ != resumed_at_ || !said_before_.contains(name))
                log_->append_scalar(name, step_, static_cast<float>(value));
        };
        hooks.on_failure = options_.on_warning;
        hooks.keep_going = [this] {
            log_->heartbeat();
            const bool stopped = options_.stop != nullptr && options_.stop->load();
            return !stopped && control_->poll() != ControlRequest::kStop;
        };
        run_due_probes(job_, step_, folder_.root, data_, session_.executor(),
                       session_.training_graph().parameters, device_, hooks);
        clock_.leave_out(now_s() - start);
    }

    void command(GroupTask task) { send_command(*options_.group, {task, step_ + 1}); }

    void mark_failed() noexcept {
        try {
            log_->set_state(RunState::kFailed);
        } catch (const std::exception&) {
            // The error that brought us here is the one to report.
        }
    }

    void report(bool evaluated) const {
        if (!options_.on_progress) return;
        const auto left = static_cast<double>(job_.train.steps - step_);
        options_.on_progress({step_, job_.train.steps, loss_, val_loss_, val_accuracy_,
                              tokens_per_second(), left * mean_step_seconds_, evaluated});
    }

    int64_t tokens() const { return step_ * session_.tokens_per_step(); }
    double tokens_per_second() const {
        return static_cast<double>(session_.tokens_per_step()) / mean_step_seconds_;
    }

    const Job& job_;
    const DataSource& data_;
    Device& device_;
    const RunOptions& options_;
    RunFolder folder_;
    RunLock lock_;
    TrainingSession session_;
    RunLogAttributes attributes_;
    std::optional<RunLogWriter> log_;
    std::optional<ControlReader> control_;
    WorkClock clock_{0};
    int64_t step_ = 0;
    double loss_ = std::nan(""), val_loss_ = std::nan(""), val_accuracy_ = std::nan("");
    int64_t resumed_at_ = -1;
    std::set<std::string> said_before_;  ///< scalars that the log has of that step
    double mean_step_seconds_ = 0;
    double last_system_ = 0;
    int steps_since_eval_ = 0, clipped_since_eval_ = 0;
    std::optional<DivergenceWatch> watch_;
    bool helpers_left_ = false;         ///< a step failed in every process of the group
    bool starts_from_weights_ = false;  ///< weights of train.init_from are worth an evaluation
};

}  // namespace

RunState run_training(const Job& job, const std::filesystem::path& run_dir, const DataSource& data,
                      Device& device, const RunOptions& options) {
    return TrainingRun(job, run_dir, data, device, options).run();
}

}  // namespace headroom
