#include "core/log/open_log.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/log/schema.h"
#include "core/log/untrusted_file.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// Runs `work` on the log at `path`; says in plain words what people meet most.
template <class Work>
auto in_plain_words(const fs::path& path, Work&& work) {
    try {
        return work();
    } catch (const h5::Error& error) {
        const std::string_view why = error.what();
        const bool cut = why.find("truncated") != std::string_view::npos;
        if (why.find("already open") != std::string_view::npos)
            throw UserError(fmt::format("{} is open for writing in another program, or was when "
                                        "that program was killed",
                                        path.string()),
                            "close it there; if nobody has it open, `h5clear -s` on it mends it");
        throw h5::Error(cut ? "it is cut short" : error.what());
    }
}

constexpr auto kReading = h5::Reading::kWhileWritten;

/// Every log that is open for reading in this process. Never destroyed: readers may outlive main().
struct Registry {
    std::mutex mutex;  ///< held while logs are opened and closed
    std::vector<std::shared_ptr<OpenLog>> logs;
};

Registry& registry() {
    static auto* const instance = new Registry;
    return *instance;
}

}  // namespace

OpenLog::OpenLog(const fs::path& path) {
    static std::atomic<int64_t> opened{0};
    generation_ = ++opened;
    file_ = in_plain_words(path, [&] { return h5::open_file(path, kReading); });
    attributes_ = schema::read_attributes(file_.get());
    open_columns();
}

void OpenLog::open_columns() {
    const hid_t file = file_.get();
    RunSeries shape;
    shape.scalars = scalars_ = schema::list_scalars(file);
    schema::visit_columns(
        shape, [&](const std::string& group, const char* name, const auto& values, const char*) {
            using T = typename std::decay_t<decltype(values)>::value_type;
            const std::string column = fmt::format("/{}/{}", group, name);
            const bool skip =
                schema::is_optional(column) && H5Lexists(file, column.c_str(), H5P_DEFAULT) == 0;
            h5::Id dataset = skip ? h5::Id() : schema::open_column<T>(file, column);
            columns_of(group).emplace_back(std::move(dataset), column, sizeof(T));
        });
    state_cell_ = schema::open_column<int8_t>(file, schema::kState);
    heartbeat_cell_ = schema::open_column<double>(file, schema::kHeartbeat);
}

GroupReader& OpenLog::columns_of(const std::string& group) {
    if (group.starts_with(schema::kScalarGroup))
        return scalar_columns_[group.substr(schema::kScalarGroup.size())];
    return group == "train" ? train_ : group == "val" ? val_ : system_;
}

struct stat OpenLog::status() const {
    void* handle = nullptr;
    h5::check(H5Fget_vfd_handle(file_.get(), H5P_DEFAULT, &handle), "look at the file");
    struct stat status {};
    if (handle == nullptr || ::fstat(*static_cast<int*>(handle), &status) != 0)
        throw h5::Error("cannot look at the file");
    return status;
}

template <class T>
T OpenLog::read_cell(const h5::Id& cell) const {
    h5::check(H5Drefresh(cell.get()), "refresh /status");
    const h5::Id space(H5Dget_space(cell.get()), H5Sclose, "read a shape");
    if (H5Sget_simple_extent_npoints(space.get()) != 1)
        throw h5::Error("/status holds something other than one value");
    const haddr_t address = H5Dget_offset(cell.get());
    const auto file_bytes = static_cast<uint64_t>(status().st_size);
    if (address != HADDR_UNDEF && (address > file_bytes || sizeof(T) > file_bytes - address))
        throw h5::Error("it is cut short: /status is missing");
    T value{};
    h5::check(H5Dread(cell.get(), h5::native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &value),
              "read /status");
    return value;
}

RunState OpenLog::read_state() const {
    const auto value = read_cell<int8_t>(state_cell_);
    if (value < 0 || value > static_cast<int8_t>(RunState::kDiverged))
        throw h5::Error(fmt::format("{} is {}, which is no state", schema::kState, value));
    return static_cast<RunState>(value);
}

double OpenLog::read_heartbeat() const {
    return read_cell<double>(heartbeat_cell_);
}

uint64_t OpenLog::common_rows(GroupReader& group, uint64_t known) const {
    uint64_t rows = group.front().refreshed_rows();
    if (rows <= known) return known;
    for (size_t i = 1; i < group.size(); ++i)
        if (!group[i].is_missing()) rows = std::min(rows, group[i].refreshed_rows());
    // Asked now, for what the columns publish is in the file already.
    const auto file_bytes = static_cast<uint64_t>(status().st_size);
    for (ColumnReader& column : group)
        if (!column.is_missing()) column.require_stored(rows, file_bytes);
    return rows;
}

SharedLog SharedLog::open(const fs::path& path) {
    const auto share_of = [](const FileStamp& file) {
        SharedLog share;
        for (const std::shared_ptr<OpenLog>& log : registry().logs)
            if (log->stamp().same_file(file)) share.log_ = log;
        return share;
    };
    const auto share_at_path = [&] {
        struct stat status {};
        return ::stat(path.c_str(), &status) == 0 ? share_of(stamp_of(status)) : SharedLog();
    };
    {
        const std::lock_guard lock(registry().mutex);
        if (SharedLog share = share_at_path()) return share;
    }
    // Without the lock: it may take a minute, in which others open and close their logs.
    in_plain_words(path, [&] { h5::require_survivable(path, kReading); });
    const std::lock_guard lock(registry().mutex);
    if (SharedLog share = share_at_path()) return share;
    auto log = std::make_shared<OpenLog>(path);
    // Another file may have got the name in between, one that is open already.
    if (SharedLog share = share_of(log->stamp())) return share;
    registry().logs.push_back(log);
    SharedLog share;
    share.log_ = std::move(log);
    return share;
}

SharedLog SharedLog::share() const {
    const std::lock_guard lock(registry().mutex);
    SharedLog other;
    other.log_ = log_;
    return other;
}

SharedLog& SharedLog::operator=(SharedLog&& other) noexcept {
    if (this != &other) {
        reset();
        log_ = std::move(other.log_);
    }
    return *this;
}

void SharedLog::reset() noexcept {
    if (!log_) return;
    const std::lock_guard lock(registry().mutex);
    const bool is_last = log_.use_count() == 2;  // the registry's and this one
    if (is_last) std::erase(registry().logs, log_);
    log_.reset();
}

}  // namespace headroom
