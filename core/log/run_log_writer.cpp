#include "core/log/run_log_writer.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/open_file.h"
#include "core/base/system_info.h"
#include "core/log/h5.h"
#include "core/log/run_log_reader.h"
#include "core/log/schema.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kFlushInterval = std::chrono::milliseconds(50);
/// Flushing takes at most about this share of the time, however slow the disk.
constexpr int kFlushCostRatio = 20;

/// Space is taken from the disk in such steps.
constexpr uint64_t kReserveStep = 256 * 1024;

/// A kill can end a write between two pages of the file, and the checksum of what lies in both
/// would be wrong for ever. So whatever the library writes again begins a page: headers and indices
/// are smaller than one up to 8 million rows.
constexpr uint64_t kPage = 4096;

/// One column of the file and how many rows it has there.
struct Column {
    h5::Id dataset;
    hsize_t rows = 0;
};

template <class T>
void append_to(Column& column, const std::vector<T>& values) {
    const hsize_t count = values.size(), rows = column.rows + count;
    h5::check(H5Dset_extent(column.dataset.get(), &rows), "extend a column");
    const h5::Id file_space(H5Dget_space(column.dataset.get()), H5Sclose, "read a shape");
    h5::check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &column.rows, nullptr, &count,
                                  nullptr),
              "select rows");
    const h5::Id memory_space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a shape");
    h5::check(H5Dwrite(column.dataset.get(), h5::native_type<T>(), memory_space.get(),
                       file_space.get(), H5P_DEFAULT, values.data()),
              "write rows");
    column.rows = rows;
}

template <class T>
void overwrite(const h5::Id& cell, T value) {
    h5::check(H5Dwrite(cell.get(), h5::native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &value),
              "write a cell");
}

/// UserError for what no reader would read.
void declare(std::span<const ScalarInfo> scalars, RunSeries& rows) {
    for (const ScalarInfo& scalar : scalars) {
        CHECK(is_scalar_name(scalar.name), "no name for a scalar: " + scalar.name);
        CHECK(scalar.unit.size() <= kMostScalarText && scalar.help.size() <= kMostScalarText,
              "too long a text for the scalar " + scalar.name);
        ScalarSeries& series = rows.scalars[scalar.name];
        series.unit = scalar.unit;
        series.help = scalar.help;
    }
    if (rows.scalars.size() > kMostScalars)
        throw UserError(fmt::format("a log of {} scalars cannot be read: {} are the most",
                                    rows.scalars.size(), kMostScalars),
                        "log fewer, as by fewer probes");
    schema::visit_attributes(rows.attributes, [](const char* name, const std::string& text) {
        if (text.size() > schema::kMaxAttributeBytes)
            throw UserError(fmt::format("the log's \"{}\" has {} bytes: {} are the most", name,
                                        text.size(), schema::kMaxAttributeBytes),
                            "make it shorter");
    });
}

}  // namespace

struct RunLogWriter::Impl {
    fs::path path;
    h5::Id file;
    std::vector<Column> columns;  ///< in the order of schema::visit_columns
    h5::Id state_cell, heartbeat_cell;
    int fd = -1;             ///< the library's own, for what it does not offer
    off_t state_offset = 0;  ///< of the state in the file

    RunSeries pending;  ///< rows that are not in the file yet, and the state
    bool state_changed = false;
    Clock::time_point last_flush{};
    Clock::duration last_cost{};
    uint64_t reserved_end = 0;  ///< the file may grow so far without asking the disk again
    std::string failure;        ///< not empty: the file refused a write and is left alone

    double seconds_at_start = 0;
    int64_t tokens_at_start = 0;

    static std::unique_ptr<Impl> build(const fs::path& path, RunSeries rows);
    void create_file(const fs::path& temporary, const RunSeries& shape);
    void reserve_pending();
    void write_pending();
    void flush_now(bool to_disk);
    void sync_to_disk();
    bool is_due() const;
    void give_back_reserve() const;
    void abandon() noexcept;
    void overwrite_state(RunState state) const;
    [[noreturn]] void fail(const std::string& reason);
};

/// Makes the log under a temporary name, puts `rows` into it and moves it into place, so that a log
/// of that name is complete and followable at any moment.
std::unique_ptr<RunLogWriter::Impl> RunLogWriter::Impl::build(const fs::path& path,
                                                              RunSeries rows) {
    h5::prepare();
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    remove_stale_temporaries_of(path);  // the run's lock is held: nobody else makes one
    const fs::path temporary = fresh_temporary(path);
    try {
        impl->create_file(temporary, rows);
        if (!rows.train.seconds.empty()) impl->seconds_at_start = rows.train.seconds.back();
        if (!rows.train.tokens.empty()) impl->tokens_at_start = rows.train.tokens.back();
        impl->pending = std::move(rows);
        impl->state_changed = true;
        impl->flush_now(true);
        if (std::rename(temporary.c_str(), path.c_str()) != 0)
            throw EnvironmentError(fmt::format("cannot rename {} into place", temporary.string()),
                                   "check the folder and try again");
    } catch (const h5::Error& error) {
        ::unlink(temporary.c_str());
        impl->fail(error.what());
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    sync_folder(path.parent_path());
    return impl;
}

void RunLogWriter::Impl::create_file(const fs::path& temporary, const RunSeries& shape) {
    file = h5::create_file(temporary, kPage);
    schema::create_objects(file.get(), shape);
    h5::check(H5Fstart_swmr_write(file.get()), "let readers in");
    schema::visit_columns(
        shape, [&](const char* group, const char* name, const auto& values, const char*) {
            using T = typename std::decay_t<decltype(values)>::value_type;
            columns.push_back(
                {schema::open_column<T>(file.get(), fmt::format("/{}/{}", group, name)), 0});
        });
    state_cell = schema::open_column<int8_t>(file.get(), schema::kState);
    heartbeat_cell = schema::open_column<double>(file.get(), schema::kHeartbeat);
    void* handle = nullptr;
    h5::check(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle), "look at the file");
    CHECK(handle != nullptr, "a file without a descriptor");
    fd = *static_cast<int*>(handle);
    state_offset = static_cast<off_t>(H5Dget_offset(state_cell.get()));
}

/// Takes the space for the pending rows before the library is asked to write: when a write of it
/// fails, it goes on and publishes rows that are not there.
void RunLogWriter::Impl::reserve_pending() {
    // Each column may need new chunks beside its values, and for them new blocks of its index.
    uint64_t bytes = columns.size() * (2 * schema::kChunkRows * sizeof(int64_t) + 3 * kPage);
    schema::visit_columns(pending, [&](const char*, const char*, auto& values, const char*) {
        bytes += 2 * values.size() * sizeof(values[0]);
    });
    struct stat status {};
    if (::fstat(fd, &status) != 0) fail(strerror(errno));
    const auto end = static_cast<uint64_t>(status.st_size);
    if (end + bytes <= reserved_end) return;
    for (const uint64_t ahead : {kReserveStep, uint64_t{0}}) {
        reserved_end = end + bytes + ahead;
        const int error = reserve_space(fd, end, bytes + ahead);
        if (error == 0) return;
        if (ahead == 0) fail(strerror(error));
    }
}

void RunLogWriter::Impl::write_pending() {
    reserve_pending();
    size_t index = 0;
    std::vector<const Column*> grown;
    schema::visit_columns(pending, [&](const char*, const char*, auto& values, const char*) {
        Column& column = columns[index++];
        if (values.empty()) return;
        append_to(column, values.to_vector());
        values.clear();
        grown.push_back(&column);
    });
    // A column's rows before its new length, which a flush of the file would publish even after a
    // write of the rows had failed.
    for (const Column* column : grown) h5::check(H5Dflush(column->dataset.get()), "flush rows");
    if (state_changed) overwrite(state_cell, static_cast<int8_t>(pending.state));
    state_changed = false;
    overwrite(heartbeat_cell, unix_time());
    h5::check(H5Fflush(file.get(), H5F_SCOPE_LOCAL), "flush");
}

void RunLogWriter::Impl::flush_now(bool to_disk) {
    if (!failure.empty()) throw EnvironmentError(failure);
    h5::prepare();
    const Clock::time_point begin = Clock::now();
    try {
        write_pending();
    } catch (const h5::Error& error) {
        fail(error.what());
    }
    if (to_disk) sync_to_disk();
    last_flush = Clock::now();
    last_cost = last_flush - begin;
}

void RunLogWriter::Impl::sync_to_disk() {
    if (::fsync(fd) != 0) fail(strerror(errno));
}

bool RunLogWriter::Impl::is_due() const {
    const auto interval = std::max<Clock::duration>(kFlushInterval, last_cost * kFlushCostRatio);
    return Clock::now() - last_flush >= interval;
}

void RunLogWriter::Impl::give_back_reserve() const {
    struct stat status {};
    if (::fstat(fd, &status) == 0 && ::ftruncate(fd, status.st_size) != 0) return;  // only space
}

/// Leaves the file as a kill would. Closing it would write once more, and a file whose end is
/// missing but which claims to be closed properly cannot be opened.
void RunLogWriter::Impl::abandon() noexcept {
    for (Column& column : columns) column.dataset.abandon();
    state_cell.abandon();
    heartbeat_cell.abandon();
    file.abandon();
}

/// The state of an abandoned log: one byte that has its place and needs neither space nor library.
void RunLogWriter::Impl::overwrite_state(RunState state) const {
    const auto value = static_cast<int8_t>(state);
    if (::pwrite(fd, &value, sizeof(value), state_offset) != sizeof(value))
        throw EnvironmentError(failure);
}

void RunLogWriter::Impl::fail(const std::string& reason) {
    abandon();
    const EnvironmentError error(fmt::format("cannot write {}: {}", path.string(), reason),
                                 "free some space there and resume the run");
    failure = error.what();
    throw error;
}

RunLogWriter::RunLogWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunLogWriter::RunLogWriter(RunLogWriter&&) noexcept = default;
RunLogWriter& RunLogWriter::operator=(RunLogWriter&&) noexcept = default;

RunLogWriter::~RunLogWriter() {
    if (!impl_ || !impl_->file) return;  // moved from, closed or abandoned
    try {
        impl_->flush_now(false);
    } catch (const std::exception&) {
        // Said before, or nobody is left to hear it.
    }
}

RunLogWriter RunLogWriter::create(const fs::path& path, const RunLogAttributes& attributes,
                                  std::span<const ScalarInfo> scalars) {
    std::error_code error;
    if (fs::exists(path, error))
        throw UserError(fmt::format("{} exists already", path.string()),
                        "resume that run or choose another folder");
    RunSeries rows;
    rows.attributes = attributes;
    declare(scalars, rows);
    return RunLogWriter(Impl::build(path, std::move(rows)));
}

RunLogWriter RunLogWriter::resume(const fs::path& path, int64_t last_step,
                                  const std::optional<RunLogAttributes>& attributes,
                                  std::span<const ScalarInfo> scalars) {
    RunSeries rows = read_run_log(path);
    const int64_t logged = rows.train.step.empty() ? 0 : rows.train.step.back();
    if (logged < last_step)
        throw UserError(fmt::format("{} ends at step {}, before the checkpoint of step {}",
                                    path.string(), logged, last_step),
                        "resume from an earlier checkpoint");
    keep_rows_until(rows, last_step);
    // A log of another program, or of an earlier version, may lack these.
    rows.train.batch_hash.resize(rows.train.step.size());
    rows.val.batch_hash.resize(rows.val.step.size());
    if (attributes) {
        const std::string started = rows.attributes.started;
        rows.attributes = *attributes;
        rows.attributes.started = started;
    }
    declare(scalars, rows);
    rows.state = RunState::kStarting;
    return RunLogWriter(Impl::build(path, std::move(rows)));
}

double RunLogWriter::seconds_at_start() const {
    return impl_->seconds_at_start;
}
int64_t RunLogWriter::tokens_at_start() const {
    return impl_->tokens_at_start;
}

void RunLogWriter::append_train(const TrainRow& row) {
    TrainSeries& to = impl_->pending.train;
    to.step.push_back(row.step);
    to.tokens.push_back(row.tokens);
    to.loss.push_back(row.loss);
    to.lr.push_back(row.lr);
    to.grad_norm.push_back(row.grad_norm);
    to.seconds.push_back(row.seconds);
    to.batch_hash.push_back(row.batch_hash);
}

void RunLogWriter::append_val(const ValRow& row) {
    ValSeries& to = impl_->pending.val;
    to.step.push_back(row.step);
    to.tokens.push_back(row.tokens);
    to.loss.push_back(row.loss);
    to.batch_hash.push_back(row.batch_hash);
}

void RunLogWriter::append_system(const SystemRow& row) {
    SystemSeries& to = impl_->pending.system;
    to.seconds.push_back(row.seconds);
    to.device_bytes.push_back(row.device_bytes);
    to.host_bytes.push_back(row.host_bytes);
    to.tokens_per_second.push_back(row.tokens_per_second);
}

void RunLogWriter::append_scalar(const std::string& name, int64_t step, float value) {
    const auto scalar = impl_->pending.scalars.find(name);
    CHECK(scalar != impl_->pending.scalars.end(), "the scalar " + name + " was not declared");
    scalar->second.step.push_back(step);
    scalar->second.value.push_back(value);
}

void RunLogWriter::set_state(RunState state) {
    if (!impl_->failure.empty()) return impl_->overwrite_state(state);
    impl_->pending.state = state;
    impl_->state_changed = true;
    impl_->flush_now(false);
}

void RunLogWriter::heartbeat() {
    flush();
}

void RunLogWriter::flush() {
    if (!impl_->failure.empty() || impl_->is_due()) impl_->flush_now(false);
}

void RunLogWriter::sync() {
    impl_->flush_now(true);
}

void RunLogWriter::close() {
    impl_->flush_now(true);
    try {
        impl_->columns.clear();
        impl_->state_cell.reset();
        impl_->heartbeat_cell.reset();
        impl_->give_back_reserve();
        impl_->file.close("close");
    } catch (const h5::Error& error) {
        impl_->fail(error.what());
    }
}

}  // namespace headroom
