#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/log/shared_column.h"

namespace headroom {

/// State of a run as /status/state says it. Lives on disk: do not renumber.
enum class RunState : int8_t {
    kStarting = 0,
    kRunning = 1,
    kPaused = 2,
    kFinished = 3,
    kFailed = 4,
    kStopped = 5,
    kDiverged = 6
};

/// "starting", "running", "paused", "finished", "failed", "stopped", "diverged".
std::string_view name_of(RunState state);
/// Finished, failed, stopped or diverged: nothing more will be written unless the run is resumed.
bool is_final(RunState state);

/// The attributes of `/`: how the run came about. `schema` is written and checked by the log
/// itself.
struct RunLogAttributes {
    std::string job_json;  ///< the resolved job
    std::string program;   ///< name and version
    std::string host;
    std::string device;
    std::string started;  ///< ISO 8601
};

/// One optimiser step. `step` is 1-based, `tokens` counts all seen after it, `loss` is in nats per
/// token, `seconds` since the start without pauses and continued over a resume; `batch_hash` is of
/// the tokens that the step saw.
struct TrainRow {
    int64_t step = 0;
    int64_t tokens = 0;
    float loss = 0;
    float lr = 0;
    float grad_norm = 0;
    double seconds = 0;
    uint64_t batch_hash = 0;
};

/// One evaluation, after step `step`; `batch_hash` is of what it was on, 0 where nobody knows.
struct ValRow {
    int64_t step = 0;
    int64_t tokens = 0;
    float loss = 0;
    uint64_t batch_hash = 0;
};

/// One look at the machine, `seconds` as in TrainRow.
struct SystemRow {
    double seconds = 0;
    int64_t device_bytes = 0;
    int64_t host_bytes = 0;
    float tokens_per_second = 0;
};

/// The columns of /train, all of one length. `batch_hash` stays empty for a log that has none.
struct TrainSeries {
    SharedColumn<int64_t> step, tokens;
    SharedColumn<float> loss, lr, grad_norm;
    SharedColumn<double> seconds;
    SharedColumn<uint64_t> batch_hash;
};

/// The columns of /val, all of one length. `batch_hash` stays empty for a log that has none.
struct ValSeries {
    SharedColumn<int64_t> step, tokens;
    SharedColumn<float> loss;
    SharedColumn<uint64_t> batch_hash;
};

/// The columns of /system, all of one length.
struct SystemSeries {
    SharedColumn<double> seconds;
    SharedColumn<int64_t> device_bytes, host_bytes;
    SharedColumn<float> tokens_per_second;
};

/// A further number of the run, declared before its log begins: an accuracy, a router's balance.
struct ScalarInfo {
    std::string name;  ///< letters, digits, "-", "_" and "."
    std::string unit;  ///< "" for plain numbers
    std::string help;  ///< one sentence: what it says
};
/// No reader takes a log with more scalars, or with a longer unit or help.
inline constexpr size_t kMostScalars = 1024;
inline constexpr size_t kMostScalarText = 4096;  ///< bytes
/// Whether a scalar may have this name: it becomes that of a group of the file.
bool is_scalar_name(std::string_view name);

/// The columns of /scalars/NAME, both of one length.
struct ScalarSeries {
    std::string unit, help;
    SharedColumn<int64_t> step;
    SharedColumn<float> value;
};

/// The scalar that is the share of an evaluation's images told rightly.
inline constexpr char kValAccuracy[] = "val_accuracy";

/// A whole log in memory: plain data; a copy shares the rows.
struct RunSeries {
    TrainSeries train;
    ValSeries val;
    SystemSeries system;
    std::map<std::string, ScalarSeries> scalars;  ///< by name
    RunState state = RunState::kStarting;
    double heartbeat = 0;  ///< Unix time of the writer's last sign of life
    RunLogAttributes attributes;
    /// Changes when the log was replaced (a resumed run) and the rows were read anew; 0 = never
    /// read.
    int64_t generation = 0;
};

/// Drops what came after step `last_step`: later rows of /train, /val and /scalars, and rows of
/// /system later than that step's seconds.
void keep_rows_until(RunSeries& series, int64_t last_step);

/// The list of columns, in one place: calls visit(name, column&, unit) for each column of a group,
/// the index of the group (step, or seconds for /system) first.
template <class Series, class Visit>
void visit_train_columns(Series& s, Visit&& visit) {
    visit("step", s.step, "");
    visit("tokens", s.tokens, "");
    visit("loss", s.loss, "nats per token");
    visit("lr", s.lr, "");
    visit("grad_norm", s.grad_norm, "");
    visit("seconds", s.seconds, "s");
    visit("batch_hash", s.batch_hash, "");
}
template <class Series, class Visit>
void visit_val_columns(Series& s, Visit&& visit) {
    visit("step", s.step, "");
    visit("tokens", s.tokens, "");
    visit("loss", s.loss, "nats per token");
    visit("batch_hash", s.batch_hash, "");
}
template <class Series, class Visit>
void visit_system_columns(Series& s, Visit&& visit) {
    visit("seconds", s.seconds, "s");
    visit("device_bytes", s.device_bytes, "byte");
    visit("host_bytes", s.host_bytes, "byte");
    visit("tokens_per_second", s.tokens_per_second, "1/s");
}
template <class Series, class Visit>
void visit_scalar_columns(Series& s, Visit&& visit) {
    visit("step", s.step, "");
    visit("value", s.value, s.unit.c_str());
}

}  // namespace headroom
