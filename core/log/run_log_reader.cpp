#include "core/log/run_log_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/file_descriptor.h"
#include "core/log/h5.h"
#include "core/log/schema.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr auto kVisitTrain = [](auto& s, auto&& visit) { visit_train_columns(s, visit); };
constexpr auto kVisitVal = [](auto& s, auto&& visit) { visit_val_columns(s, visit); };
constexpr auto kVisitSystem = [](auto& s, auto&& visit) { visit_system_columns(s, visit); };

/// The file as HDF5 holds it open, also when another one has taken its name.
struct OpenFile {
    h5::Id id;

    struct stat status() const {
        void* handle = nullptr;
        h5::check(H5Fget_vfd_handle(id.get(), H5P_DEFAULT, &handle), "look at the file");
        struct stat status {};
        if (handle == nullptr || ::fstat(*static_cast<int*>(handle), &status) != 0)
            throw h5::Error("cannot look at the file");
        return status;
    }
    uint64_t bytes() const { return static_cast<uint64_t>(status().st_size); }
};

/// One column of an open log.
class ColumnReader {
  public:
    ColumnReader(h5::Id dataset, std::string path, size_t element_bytes)
        : dataset_(std::move(dataset)), path_(std::move(path)), element_bytes_(element_bytes) {}

    bool is_missing() const { return !dataset_; }

    /// Rows that the writer has published by now.
    uint64_t refreshed_rows() {
        h5::check(H5Drefresh(dataset_.get()), "refresh " + path_);
        const h5::Id space(H5Dget_space(dataset_.get()), H5Sclose, "read the shape of " + path_);
        hsize_t rows = 0;
        h5::check(H5Sget_simple_extent_dims(space.get(), &rows, nullptr), "read a shape");
        return rows;
    }

    /// Refuses rows that lie beyond the end of the file, where the library would read zeros.
    void require_stored(uint64_t rows, uint64_t file_bytes) {
        if (rows == 0) return;
        if (rows > file_bytes / element_bytes_)
            throw h5::Error(
                fmt::format("{} claims {} rows, more than the file holds", path_, rows));
        const uint64_t chunk = (rows - 1) / schema::kChunkRows;
        if (chunk == checked_chunk_) return;
        const hsize_t row = chunk * schema::kChunkRows;
        unsigned filters = 0;
        haddr_t address = HADDR_UNDEF;
        hsize_t bytes = 0;
        h5::check(H5Dget_chunk_info_by_coord(dataset_.get(), &row, &filters, &address, &bytes),
                  "find the rows of " + path_);
        if (address == HADDR_UNDEF || address > file_bytes || bytes > file_bytes - address)
            throw h5::Error(fmt::format("it is cut short: rows of {} are missing", path_));
        checked_chunk_ = chunk;
    }

    /// Appends rows [begin, end) to `values`.
    template <class T>
    void read(uint64_t begin, uint64_t end, std::vector<T>& values) const {
        const hsize_t start = begin, count = end - begin;
        const h5::Id file_space(H5Dget_space(dataset_.get()), H5Sclose, "read a shape");
        h5::check(
            H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr),
            "select rows");
        const h5::Id memory_space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a shape");
        const size_t before = values.size();
        values.resize(before + count);
        h5::check(H5Dread(dataset_.get(), h5::native_type<T>(), memory_space.get(),
                          file_space.get(), H5P_DEFAULT, values.data() + before),
                  "read " + path_);
    }

  private:
    h5::Id dataset_;
    std::string path_;
    size_t element_bytes_;
    uint64_t checked_chunk_ = std::numeric_limits<uint64_t>::max();
};

/// The columns of one group, in the order of its visit function; the index column first.
using GroupReader = std::vector<ColumnReader>;

/// Rows that every column of the group has; asks the other columns only if the index has more than
/// `known`.
uint64_t common_rows(GroupReader& group, uint64_t known, const OpenFile& file) {
    uint64_t rows = group.front().refreshed_rows();
    if (rows <= known) return known;
    for (size_t i = 1; i < group.size(); ++i)
        if (!group[i].is_missing()) rows = std::min(rows, group[i].refreshed_rows());
    const uint64_t file_bytes = file.bytes();  // now: what the columns publish is in the file
    for (ColumnReader& column : group)
        if (!column.is_missing()) column.require_stored(rows, file_bytes);
    return rows;
}

/// Appends rows [begin, end) of the group to `series`: all of its columns, or none after an error.
template <class Series, class VisitAll>
void read_rows(const GroupReader& group, uint64_t begin, uint64_t end, Series& series,
               VisitAll visit_all) {
    std::vector<size_t> sizes;
    visit_all(series,
              [&](const char*, auto& values, const char*) { sizes.push_back(values.size()); });
    try {
        size_t index = 0;
        visit_all(series, [&](const char*, auto& values, const char*) {
            const ColumnReader& column = group[index++];
            if (!column.is_missing()) column.read(begin, end, values);
        });
    } catch (const h5::Error&) {
        size_t index = 0;
        visit_all(series,
                  [&](const char*, auto& values, const char*) { values.resize(sizes[index++]); });
        throw;
    }
}

struct FileStamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t bytes = -1;
    timespec changed{};

    bool same_file(const FileStamp& o) const { return device == o.device && inode == o.inode; }
    bool same_content(const FileStamp& o) const {
        return same_file(o) && bytes == o.bytes && changed.tv_sec == o.changed.tv_sec &&
               changed.tv_nsec == o.changed.tv_nsec;
    }
    /// Old enough that a later write cannot carry the same time.
    bool is_settled() const { return std::time(nullptr) - changed.tv_sec > 1; }
};

FileStamp stamp_of(const struct stat& status) {
    return {status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

/// Looks before the library does: it would wait at a named pipe, and read formats that a log never
/// has and that carry no checksums.
void require_log_header(const fs::path& path) {
    constexpr std::array<unsigned char, 9> kStart{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n', 3};
    const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd)
        throw UserError(fmt::format("cannot open {}: {}", path.string(), strerror(errno)),
                        "check the path");
    struct stat status {};
    std::array<unsigned char, 9> start{};
    if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode))
        throw h5::Error("it is not a regular file");
    if (::read(fd.get(), start.data(), start.size()) != static_cast<ssize_t>(start.size()) ||
        !std::equal(start.begin(), start.end() - 1, kStart.begin()))
        throw h5::Error("it is not an HDF5 file");
    if (start.back() != kStart.back())
        throw h5::Error("it is an HDF5 file of a format that logs do not use");
}

h5::Id open_swmr(const fs::path& path) {
    const h5::Id access = h5::log_access();
    try {
        return h5::Id(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get()),
                      H5Fclose, "open it");
    } catch (const h5::Error& error) {
        const bool cut = std::string_view(error.what()).find("truncated") != std::string::npos;
        throw h5::Error(cut ? "it is cut short" : error.what());
    }
}

}  // namespace

struct RunLogReader::Impl {
    fs::path path;
    OpenFile file;
    GroupReader train, val, system;
    h5::Id state_cell, heartbeat_cell;
    RunLogAttributes attributes;
    int64_t generation = 0;
    FileStamp opened, polled;

    void open_file();
    void open_columns();
    void reopen_if_replaced();
    template <class T>
    T read_cell(const h5::Id& cell) const;
    RunState read_state() const;
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
                "restore it from a copy, or remove it and train the run again");
        }
    }
};

void RunLogReader::Impl::open_file() {
    require_log_header(path);
    file.id.reset();
    file.id = open_swmr(path);
    attributes = schema::read_attributes(file.id.get());
    open_columns();
    opened = stamp_of(file.status());
    polled = {};
    ++generation;
}

void RunLogReader::Impl::open_columns() {
    train.clear();
    val.clear();
    system.clear();
    const RunSeries shape;
    schema::visit_columns(
        shape, [&](const std::string& group, const char* name, const auto& values, const char*) {
            using T = typename std::decay_t<decltype(values)>::value_type;
            const std::string column = fmt::format("/{}/{}", group, name);
            const bool skip = schema::is_optional(column) &&
                              H5Lexists(file.id.get(), column.c_str(), H5P_DEFAULT) == 0;
            h5::Id dataset = skip ? h5::Id() : schema::open_column<T>(file.id.get(), column);
            GroupReader& columns = group == "train" ? train : group == "val" ? val : system;
            columns.emplace_back(std::move(dataset), column, sizeof(T));
        });
    state_cell = schema::open_column<int8_t>(file.id.get(), schema::kState);
    heartbeat_cell = schema::open_column<double>(file.id.get(), schema::kHeartbeat);
}

void RunLogReader::Impl::reopen_if_replaced() {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        throw UserError(fmt::format("cannot open {}: {}", path.string(), strerror(errno)),
                        "check the path");
    if (!file.id || !stamp_of(status).same_file(opened)) {
        train.clear();
        val.clear();
        system.clear();
        state_cell.reset();
        heartbeat_cell.reset();
        open_file();
    }
}

template <class T>
T RunLogReader::Impl::read_cell(const h5::Id& cell) const {
    h5::check(H5Drefresh(cell.get()), "refresh /status");
    const h5::Id space(H5Dget_space(cell.get()), H5Sclose, "read a shape");
    if (H5Sget_simple_extent_npoints(space.get()) != 1)
        throw h5::Error("/status holds something other than one value");
    const haddr_t address = H5Dget_offset(cell.get());
    const uint64_t file_bytes = file.bytes();
    if (address != HADDR_UNDEF && (address > file_bytes || sizeof(T) > file_bytes - address))
        throw h5::Error("it is cut short: /status is missing");
    T value{};
    h5::check(H5Dread(cell.get(), h5::native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &value),
              "read /status");
    return value;
}

RunState RunLogReader::Impl::read_state() const {
    const auto value = read_cell<int8_t>(state_cell);
    if (value < 0 || value > static_cast<int8_t>(RunState::kStopped))
        throw h5::Error(fmt::format("{} is {}, which is no state", schema::kState, value));
    return static_cast<RunState>(value);
}

bool RunLogReader::Impl::poll(RunSeries& series) {
    reopen_if_replaced();
    const bool anew = series.generation != generation;
    const FileStamp now = stamp_of(file.status());
    if (!anew && now.same_content(polled) && now.is_settled()) return false;
    if (anew) {
        series = {};
        series.attributes = attributes;
        series.generation = generation;
    }
    bool changed = anew;
    const auto advance = [&](GroupReader& group, auto& part, uint64_t have, auto visit_all) {
        const uint64_t rows = common_rows(group, have, file);
        if (rows <= have) return;
        read_rows(group, have, rows, part, visit_all);
        changed = true;
    };
    // The state first: once it says finished, the rows read after it are all there will be.
    const RunState state = read_state();
    const double heartbeat = read_cell<double>(heartbeat_cell);
    advance(train, series.train, series.train.step.size(), kVisitTrain);
    advance(val, series.val, series.val.step.size(), kVisitVal);
    advance(system, series.system, series.system.seconds.size(), kVisitSystem);
    changed = changed || state != series.state || heartbeat != series.heartbeat;
    series.state = state;
    series.heartbeat = heartbeat;
    polled = now;
    return changed;
}

RunTail RunLogReader::Impl::tail() {
    constexpr uint64_t kRows = 32;  // enough for a steady rate
    reopen_if_replaced();
    RunTail tail;
    tail.attributes = attributes;
    tail.state = read_state();
    tail.heartbeat = read_cell<double>(heartbeat_cell);
    tail.loss = tail.val_loss = std::numeric_limits<double>::quiet_NaN();
    const uint64_t val_rows = common_rows(val, 0, file);
    if (val_rows > 0) {
        ValSeries last;
        read_rows(val, val_rows - 1, val_rows, last, kVisitVal);
        tail.val_loss = last.loss.back();
    }
    const uint64_t rows = common_rows(train, 0, file);
    if (rows == 0) return tail;
    TrainSeries last;
    read_rows(train, rows - std::min(rows, kRows), rows, last, kVisitTrain);
    tail.step = last.step.back();
    tail.loss = last.loss.back();
    tail.seconds = last.seconds.back();
    const double seconds = last.seconds.back() - last.seconds.front();
    if (seconds > 0) {
        tail.tokens_per_second =
            static_cast<double>(last.tokens.back() - last.tokens.front()) / seconds;
        tail.seconds_per_step = seconds / static_cast<double>(last.step.size() - 1);
    }
    return tail;
}

RunLogReader::RunLogReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunLogReader::RunLogReader(RunLogReader&&) noexcept = default;
RunLogReader& RunLogReader::operator=(RunLogReader&&) noexcept = default;
RunLogReader::~RunLogReader() = default;

RunLogReader RunLogReader::open(const fs::path& path) {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->guarded([&] { impl->open_file(); });
    return RunLogReader(std::move(impl));
}

bool RunLogReader::poll(RunSeries& series) {
    return impl_->guarded([&] { return impl_->poll(series); });
}

RunTail RunLogReader::tail() {
    return impl_->guarded([&] { return impl_->tail(); });
}

RunSeries read_run_log(const fs::path& path) {
    RunSeries series;
    RunLogReader::open(path).poll(series);
    return series;
}

}  // namespace headroom
