#include "core/log/column_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/log/schema.h"

namespace headroom {

uint64_t ColumnReader::refreshed_rows() {
    h5::check(H5Drefresh(dataset_.get()), "refresh " + path_);
    const h5::Id space(H5Dget_space(dataset_.get()), H5Sclose, "read the shape of " + path_);
    hsize_t rows = 0;
    h5::check(H5Sget_simple_extent_dims(space.get(), &rows, nullptr), "read a shape");
    return rows;
}

void ColumnReader::require_stored(uint64_t rows, uint64_t file_bytes) {
    if (rows == 0) return;
    if (rows > file_bytes / element_bytes_)
        throw h5::Error(fmt::format("{} claims {} rows, more than the file holds", path_, rows));
    // Chunks are taken from the end of the file one after the other: if the last one is whole, all
    // are.
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

template <class T>
void ColumnReader::read(uint64_t begin, std::span<T> out) const {
    const h5::Id file_space(H5Dget_space(dataset_.get()), H5Sclose, "read a shape");
    const hsize_t start = begin, count = out.size();
    h5::check(
        H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr),
        "select rows");
    const h5::Id memory_space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a shape");
    h5::check(H5Dread(dataset_.get(), h5::native_type<T>(), memory_space.get(), file_space.get(),
                      H5P_DEFAULT, out.data()),
              "read " + path_);
}

template <class T>
void ColumnReader::read(uint64_t begin, uint64_t end, SharedColumn<T>& values) const {
    constexpr uint64_t kRowsAtOnce = 64 * schema::kChunkRows;
    std::vector<T> part;
    for (uint64_t at = begin; at < end; at += part.size()) {
        part.resize(std::min(end - at, kRowsAtOnce));
        read(at, std::span<T>(part));
        values.append(part);
    }
}

template void ColumnReader::read(uint64_t, uint64_t, SharedColumn<int64_t>&) const;
template void ColumnReader::read(uint64_t, uint64_t, SharedColumn<uint64_t>&) const;
template void ColumnReader::read(uint64_t, uint64_t, SharedColumn<float>&) const;
template void ColumnReader::read(uint64_t, uint64_t, SharedColumn<double>&) const;
template void ColumnReader::read(uint64_t, std::span<int64_t>) const;
template void ColumnReader::read(uint64_t, std::span<uint64_t>) const;
template void ColumnReader::read(uint64_t, std::span<float>) const;
template void ColumnReader::read(uint64_t, std::span<double>) const;

}  // namespace headroom
