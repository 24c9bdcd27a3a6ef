#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor.h"

namespace headroom {

/// One named array of a file. `path` is "/GROUP/NAME"; groups are made as needed.
struct ArraySpec {
    std::string path;
    DType dtype = DType::kF32;  ///< kF32, kF64, kI32 or kU8
    Shape shape;
    Shape chunk = {};        ///< at most the shape; empty: stored in one piece
    std::string units = {};  ///< an attribute, "" = none
};

/// What a group plots unasked in viewers that know the NeXus hints.
struct PlotHint {
    std::string group;                   ///< "/heads"
    std::string signal;                  ///< an array in it
    std::vector<std::string> axes = {};  ///< arrays in it, or "."
};

/// Writes an HDF5 file of arrays that appears under its name complete or not at all. Parts of a
/// chunked array that nobody writes take no space and read as 0. EnvironmentError naming the file
/// where writing fails. One thread at a time.
class ArrayFileWriter {
  public:
    /// In the place of an older file only where its attribute `schema` begins with `replaced`, such
    /// as "headroom-probe/"; of none where that is "". UserError if `path` is a folder, a link, a
    /// device, or any other file that is not empty.
    explicit ArrayFileWriter(std::filesystem::path path, std::string_view replaced = "");
    ~ArrayFileWriter();
    ArrayFileWriter(const ArrayFileWriter&) = delete;
    ArrayFileWriter& operator=(const ArrayFileWriter&) = delete;

    /// An attribute of `/`.
    void attribute(const std::string& name, std::string_view text);
    /// A text attribute of the array or group `path`.
    void attribute(const std::string& path, const std::string& name, std::string_view text);
    /// Groups that get none are marked as plain collections.
    void plot_hint(const PlotHint& hint);

    void create(const ArraySpec& spec);
    /// Writes the box [first, first + shape) of an array; T is float, double, int32_t or uint8_t
    /// and is converted to what the array holds. `values` row-major.
    template <class T>
    void write(const std::string& path, const Shape& first, const Shape& shape,
               std::span<const T> values);
    /// create() and the whole array; T decides the type.
    template <class T>
    void add(const std::string& path, const Shape& shape, const std::vector<T>& values,
             const std::string& units = "");

    /// Closes, syncs, renames. Call it last; without it the file is removed.
    void commit();

  private:
    void discard() noexcept;

    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Reads such a file, whoever wrote it: links out of the file, filters and types that the writer
/// does not use are refused, sizes are checked before memory is taken. Arrays are read in boxes, so
/// that memory stays bounded by what is looked at. Calls from several threads are serialised.
class ArrayFile {
  public:
    /// UserError if it is missing, no HDF5 file, or of another format than the writer's.
    explicit ArrayFile(std::filesystem::path path);
    ~ArrayFile();
    ArrayFile(ArrayFile&&) noexcept;
    ArrayFile& operator=(ArrayFile&&) noexcept;

    const std::filesystem::path& path() const;
    /// A text attribute of `/`; "" if there is none.
    std::string attribute(const std::string& name) const;
    std::string attribute(const std::string& path, const std::string& name) const;

    bool has(const std::string& path) const;
    /// Names in a group, sorted; empty if there is no such group.
    std::vector<std::string> names(const std::string& group) const;
    /// UserError naming the file and the array if there is none, or it is not of a known type.
    TensorType type(const std::string& path) const;

    /// The box [first, first + shape), converted to T (float, double, int32_t or uint8_t).
    /// UserError if it is not inside the array.
    template <class T>
    void read(const std::string& path, const Shape& first, const Shape& shape,
              std::span<T> out) const;
    /// The whole array; UserError if it has more than `max_values`.
    template <class T>
    std::vector<T> read_all(const std::string& path, int64_t max_values = int64_t{1} << 26) const;
    /// The one number of an array of shape [1]; UserError if it has another.
    double read_number(const std::string& path) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace headroom
