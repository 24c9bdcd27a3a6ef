#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
/// The group of a scalar is this with its name.
inline const std::string kScalarGroup = "scalars/";
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
    const auto in = [&](const std::string& group) {
        return [&visit, group](const char* name, auto& values, const char* unit) {
            visit(group.c_str(), name, values, unit);  // NOLINT(readability-redundant-string-cstr)
        };
    };
    visit_train_columns(s.train, in("train"));
    visit_val_columns(s.val, in("val"));
    visit_system_columns(s.system, in("system"));
    for (auto& [name, scalar] : s.scalars) visit_scalar_columns(scalar, in(kScalarGroup + name));
}

/// Columns that logs of other programs may lack.
bool is_optional(std::string_view path);

/// Creates every object of a log in a new, empty file: for the attributes and scalars of `shape`.
void create_objects(hid_t file, const RunSeries& shape);

/// The scalars that a log declares, without rows. What is no group of a scalar's name is left
/// alone; one without its columns is an h5::Error.
std::map<std::string, ScalarSeries> list_scalars(hid_t file);

/// Opens the data set `path` after checking that it is what the schema says: hard links all the
/// way, stored in this file and unfiltered, one-dimensional, and of the type of T. Throws h5::Error
/// with the path otherwise.
template <class T>
h5::Id open_column(hid_t file, const std::string& path);

/// The attributes of `/`, `schema` checked.
RunLogAttributes read_attributes(hid_t file);

}  // namespace headroom::schema
