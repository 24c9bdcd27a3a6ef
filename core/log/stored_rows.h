#pragma once

#include <filesystem>
#include <memory>

#include "core/log/open_log.h"

namespace headroom {

/// The rows of one column of a log that is kept open for them. Private to core/log/.
template <class T>
class StoredRows : public RowSource<T> {
  public:
    /// `column` is one of `log`'s; `path` for messages.
    StoredRows(std::shared_ptr<const SharedLog> log, const ColumnReader& column,
               std::filesystem::path path)
        : log_(std::move(log)),
          column_(column),
          path_(std::move(path)),
          least_bytes_((*log_)->stamp().bytes) {}

    void read(size_t begin, std::span<T> out) const override;

  private:
    std::shared_ptr<const SharedLog> log_;
    const ColumnReader& column_;
    std::filesystem::path path_;
    off_t least_bytes_;  ///< of the file that holds the rows; of a shorter one the library reads
                         ///< zeros
};

/// Lets the columns of `part`, which is empty, begin with what the log holds, as far as whole
/// chunks go and the last of `rows` are not concerned: those are asked for again and again.
/// Returns how many rows these are.
template <class Series, class VisitAll>
uint64_t begin_with_stored(const std::shared_ptr<const SharedLog>& log, const GroupReader& group,
                           uint64_t rows, const std::filesystem::path& path, Series& part,
                           VisitAll visit_all) {
    constexpr uint64_t kChunk = SharedColumn<float>::kChunk;
    constexpr uint64_t kFewestChunks = 16;  // a short log is read at once
    const uint64_t chunks = rows > kChunk ? (rows - kChunk) / kChunk : 0;
    if (chunks < kFewestChunks) return 0;
    size_t index = 0;
    visit_all(part, [&](const char*, auto& values, const char*) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        const ColumnReader& column = group[index++];
        if (!column.is_missing())
            values.begin_with(std::make_shared<StoredRows<T>>(log, column, path), chunks);
    });
    return chunks * kChunk;
}

}  // namespace headroom
