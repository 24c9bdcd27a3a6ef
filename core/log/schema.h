#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/log/h5.h"
#include "core/log/run_series.h"

/// The middle layer of the log: which objects the file holds. Private to core/log/; the document is
/// core/log/README.md.
namespace headroom::schema {

inline constexpr std::string_view kSchema = "headroom-log/1";
inline constexpr const char* kState = "/status/state";
inline constexpr const char* kHeartbeat = "/status/heartbeat";
/// Rows of one chunk of a column.
inline constexpr uint64_t kChunkRows = 1024;
/// Longest attribute that a reader accepts.
inline constexpr size_t kMaxAttributeBytes = size_t{16} << 20;

/// Calls visit(attribute name, std::string&) for each attribute of `/` but `schema`.
template <class Attributes, class Visit>
void visit_attributes(Attributes& attributes, Visit&& visit) {
    visit("job", attributes.job_json);
    visit("program", attributes.program);
    visit("host", attributes.host);
    visit("device", attributes.device);
    visit("started", attributes.started);
}

/// Calls visit(group name, column name, column&, unit) for every column of the log.
template <class Series, class Visit>
void visit_columns(Series& s, Visit&& visit) {
    const auto in = [&](const char* group) {
        return [&visit, group](const char* name, auto& values, const char* unit) {
            visit(group, name, values, unit);
        };
    };
    visit_train_columns(s.train, in("train"));
    visit_val_columns(s.val, in("val"));
    visit_system_columns(s.system, in("system"));
}

/// Columns that logs of other programs may lack.
bool is_optional(std::string_view path);

/// Creates every object of a log in a new, empty file.
void create_objects(hid_t file, const RunLogAttributes& attributes);

/// Opens the data set `path` after checking that it is what the schema says: hard links all the
/// way, stored in this file and unfiltered, one-dimensional, and of the type of T. Throws h5::Error
/// with the path otherwise.
template <class T>
h5::Id open_column(hid_t file, const std::string& path);

/// The attributes of `/`, `schema` checked.
RunLogAttributes read_attributes(hid_t file);

}  // namespace headroom::schema
