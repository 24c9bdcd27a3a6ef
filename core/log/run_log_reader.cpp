#include "core/log/run_log_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/log/step_rate.h"
#include "core/log/stored_rows.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kTailRows = 32;  // enough for a steady rate

/// The speed of a run that has ended is that of all of it, as tables have it; else what it is now.
size_t rows_of_rate(RunState state) {
    return is_final(state) ? kRateRows : kTailRows;
}

constexpr auto kVisitTrain = [](auto& s, auto&& visit) { visit_train_columns(s, visit); };
constexpr auto kVisitVal = [](auto& s, auto&& visit) { visit_val_columns(s, visit); };
constexpr auto kVisitScalar = [](auto& s, auto&& visit) { visit_scalar_columns(s, visit); };
constexpr auto kVisitSystem = [](auto& s, auto&& visit) { visit_system_columns(s, visit); };

}  // namespace

struct RunLogReader::Impl {
    fs::path path;
    RowsIn rows_in = RowsIn::kMemory;
    SharedLog log;
    std::shared_ptr<const SharedLog> log_of_rows;  ///< of the sources of rows, once there are some
    FileStamp polled;                              ///< what the last poll saw

    void open() {
        log.reset();
        log_of_rows.reset();
        polled = {};
        log = SharedLog::open(path);
    }
    void reopen_if_replaced();
    bool poll(RunSeries& series);
    RunTail tail();

    /// Runs `body`; what the library has to say against the file becomes a UserError that names it.
    template <class Body>
    auto guarded(Body&& body) {
        h5::prepare();
        try {
            return body();
        } catch (const h5::Error& error) {
            polled = {};
            throw UserError(
                fmt::format("{} is not a readable log: {}", path.string(), error.what()),
                "restore it from a copy, or remove it and train the run again (study run --retry)");
        }
    }
};

void RunLogReader::Impl::reopen_if_replaced() {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        throw UserError(fmt::format("cannot open {}: {}", path.string(), strerror(errno)),
                        "check the path");
    if (!log || !stamp_of(status).same_file(log->stamp())) open();
}

bool RunLogReader::Impl::poll(RunSeries& series) {
    reopen_if_replaced();
    const std::lock_guard lock(log->mutex);
    const bool anew = series.generation != log->generation();
    const FileStamp now = log->stamp();
    if (!anew && now.same_content(polled) && now.is_settled()) return false;
    if (anew) {
        series = {};
        series.attributes = log->attributes();
        series.generation = log->generation();
        series.scalars = log->scalars();
    }
    bool changed = anew;
    const auto advance = [&](GroupReader& group, auto& part, uint64_t have, auto visit_all) {
        const uint64_t rows = log->common_rows(group, have);
        if (rows <= have) return;
        if (have == 0 && rows_in == RowsIn::kLog) {
            if (!log_of_rows) log_of_rows = std::make_shared<const SharedLog>(log.share());
            have = begin_with_stored(log_of_rows, group, rows, path, part, visit_all);
        }
        read_rows(group, have, rows, part, visit_all);
        changed = true;
    };
    // The state first: once it says finished, the rows read after it are all there will be.
    const RunState state = log->read_state();
    const double heartbeat = log->read_heartbeat();
    advance(log->train(), series.train, series.train.step.size(), kVisitTrain);
    advance(log->val(), series.val, series.val.step.size(), kVisitVal);
    advance(log->system(), series.system, series.system.seconds.size(), kVisitSystem);
    for (auto& [name, scalar] : series.scalars)
        advance(log->scalar(name), scalar, scalar.step.size(), kVisitScalar);
    changed = changed || state != series.state || heartbeat != series.heartbeat;
    series.state = state;
    series.heartbeat = heartbeat;
    polled = now;
    return changed;
}

RunTail RunLogReader::Impl::tail() {
    reopen_if_replaced();
    const std::lock_guard lock(log->mutex);
    RunSeries end;
    end.attributes = log->attributes();
    end.state = log->read_state();
    end.heartbeat = log->read_heartbeat();
    const uint64_t val_rows = log->common_rows(log->val(), 0);
    if (val_rows > 0) read_rows(log->val(), val_rows - 1, val_rows, end.val, kVisitVal);
    if (const auto told = log->scalars().find(kValAccuracy); told != log->scalars().end()) {
        GroupReader& column = log->scalar(kValAccuracy);
        const uint64_t last = log->common_rows(column, 0);
        ScalarSeries& accuracy = end.scalars.insert(*told).first->second;
        if (last > 0) read_rows(column, last - 1, last, accuracy, kVisitScalar);
    }
    const uint64_t rows = log->common_rows(log->train(), 0);
    if (rows > 0)
        read_rows(log->train(), rows - std::min<uint64_t>(rows, rows_of_rate(end.state)), rows,
                  end.train, kVisitTrain);
    return tail_of(end);
}

RunTail tail_of(const RunSeries& series) {
    const TrainSeries& train = series.train;
    RunTail tail;
    tail.attributes = series.attributes;
    tail.state = series.state;
    tail.heartbeat = series.heartbeat;
    tail.loss = tail.val_loss = std::numeric_limits<double>::quiet_NaN();
    if (!series.val.loss.empty()) tail.val_loss = series.val.loss.back();
    if (series.state == RunState::kFinished && !series.val.step.empty())
        tail.step = series.val.step.back();
    if (const auto told = series.scalars.find(kValAccuracy);
        told != series.scalars.end() && !told->second.value.empty())
        tail.val_accuracy = static_cast<double>(told->second.value.back());
    if (train.step.empty()) return tail;
    const size_t last = train.step.size() - 1;
    const size_t first = last - std::min<size_t>(last, kTailRows - 1);
    tail.step = std::max(tail.step, train.step[last]);
    tail.loss = train.loss[last];
    tail.seconds = train.seconds[last];
    const double seconds = train.seconds[last] - train.seconds[first];
    if (!(seconds > 0)) return tail;
    if (const auto rate = median_step_rate(train, rows_of_rate(series.state)))
        tail.tokens_per_second = rate->tokens_per_second;
    tail.seconds_per_step = seconds / static_cast<double>(last - first);
    return tail;
}

RunLogReader::RunLogReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunLogReader::RunLogReader(RunLogReader&&) noexcept = default;
RunLogReader& RunLogReader::operator=(RunLogReader&&) noexcept = default;
RunLogReader::~RunLogReader() = default;

RunLogReader RunLogReader::open(const fs::path& path, RowsIn rows) {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->rows_in = rows;
    impl->guarded([&] { impl->open(); });
    return RunLogReader(std::move(impl));
}

bool RunLogReader::poll(RunSeries& series) {
    return impl_->guarded([&] { return impl_->poll(series); });
}

RunTail RunLogReader::tail() {
    return impl_->guarded([&] { return impl_->tail(); });
}

std::unique_ptr<SeriesReader> open_series(const fs::path& run_log, RowsIn rows) {
    return std::make_unique<RunLogReader>(RunLogReader::open(run_log, rows));
}

RunSeries read_run_log(const fs::path& path) {
    RunSeries series;
    RunLogReader::open(path).poll(series);
    return series;
}

}  // namespace headroom
