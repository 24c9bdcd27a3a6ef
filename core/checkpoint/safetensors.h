#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/mmap_file.h"

namespace headroom {

/// Element types of the safetensors format. On disk by name ("F32", "BF16", …), never by number.
enum class StoredType {
    kF64,
    kF32,
    kBF16,
    kF16,
    kI64,
    kI32,
    kI16,
    kI8,
    kU64,
    kU32,
    kU16,
    kU8,
    kBool
};

std::string_view name_of(StoredType type);
size_t size_of(StoredType type);
StoredType stored_type_of(DType dtype);
bool is_floating(StoredType type);

/// One tensor of a file, already checked: row-major, `shape` times the element size equals `bytes`.
struct TensorInfo {
    StoredType type = StoredType::kF32;
    std::vector<int64_t> shape;
    uint64_t begin = 0;  ///< offset in the file
    uint64_t bytes = 0;

    int64_t element_count() const { return static_cast<int64_t>(bytes / size_of(type)); }
};

/// A safetensors file mapped read-only. Opening checks the whole header (sizes, offsets, types, no
/// holes, no overlaps, no duplicate names) before anything is allocated from it; every mistake is a
/// UserError that names the file and the tensor. Const members may be called from any thread.
class SafetensorsFile {
  public:
    static SafetensorsFile open(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return file_.path(); }
    /// In the order of the data.
    const std::vector<std::string>& names() const { return names_; }
    bool has(std::string_view name) const;
    /// UserError if there is no such tensor, with the nearest name.
    const TensorInfo& info(std::string_view name) const;
    const std::map<std::string, std::string, std::less<>>& metadata() const { return metadata_; }

    /// The bytes as they lie in the file (little-endian, not necessarily aligned).
    std::span<const std::byte> raw(std::string_view name) const;
    /// Converted to T: float and double read every floating type, int32_t and int64_t every integer
    /// type whose values fit. UserError otherwise.
    template <class T>
    std::vector<T> read_as(std::string_view name) const;
    /// The same into memory of the caller's. UserError if `out` has another number of elements.
    template <class T>
    void read_into(std::string_view name, std::span<T> out) const;

  private:
    MmapFile file_;
    std::vector<std::string> names_;
    std::map<std::string, TensorInfo, std::less<>> tensors_;
    std::map<std::string, std::string, std::less<>> metadata_;
};

/// One tensor to write; `data` has exactly shape times the element size of bytes, row-major.
struct TensorToWrite {
    std::string name;
    StoredType type = StoredType::kF32;
    std::vector<int64_t> shape;
    std::span<const std::byte> data;
};

/// A tensor to write from an array of float, double, bf16, int32_t, int64_t or uint8_t.
template <class T>
TensorToWrite tensor_to_write(std::string name, std::vector<int64_t> shape,
                              std::span<const T> data);

/// A tensor that is made when its turn comes.
struct TensorPlan {
    std::string name;
    StoredType type = StoredType::kF32;
    std::vector<int64_t> shape;
};

/// Writes the file atomically (AtomicFile): the older file of that name stays until the new one is
/// complete on the disk. EnvironmentError naming the file if the disk refuses. `bytes_of(i)` gives
/// the bytes of plan[i]; it is called once for each, in the order of the file, and what it gave may
/// go when it is called again: one tensor at a time is in memory.
void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, std::string, std::less<>>& metadata,
                       std::span<const TensorPlan> plan,
                       const std::function<std::span<const std::byte>(size_t)>& bytes_of);

/// The same for tensors that are all in memory.
void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, std::string, std::less<>>& metadata,
                       std::span<const TensorToWrite> tensors);

}  // namespace headroom
