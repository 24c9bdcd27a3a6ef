#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/log/h5.h"
#include "core/log/shared_column.h"

namespace headroom {

/// One column of an open log. Private to core/log/.
class ColumnReader {
  public:
    ColumnReader(h5::Id dataset, std::string path, size_t element_bytes)
        : dataset_(std::move(dataset)), path_(std::move(path)), element_bytes_(element_bytes) {}

    /// An optional column that the log does not have.
    bool is_missing() const { return !dataset_; }
    /// Rows that the writer has published by now.
    uint64_t refreshed_rows();
    /// Refuses rows that lie beyond the end of the file, where the library would read zeros.
    void require_stored(uint64_t rows, uint64_t file_bytes);
    /// Appends rows [begin, end) to `values`.
    template <class T>
    void read(uint64_t begin, uint64_t end, SharedColumn<T>& values) const;
    /// Rows from `begin` on.
    template <class T>
    void read(uint64_t begin, std::span<T> out) const;

  private:
    h5::Id dataset_;
    std::string path_;
    size_t element_bytes_;
    uint64_t checked_chunk_ = std::numeric_limits<uint64_t>::max();
};

/// The columns of one group, in the order of its visit function; the index column first.
using GroupReader = std::vector<ColumnReader>;

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

}  // namespace headroom
