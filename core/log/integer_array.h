#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headroom {

/// An array of integers in an HDF5 file that anybody wrote, in whatever format: h5py's default,
/// in chunks and compressed, or the latest.
struct IntegerArray {
    std::string name;    ///< "train" or "group/train"
    int64_t count = 0;   ///< of values; those of two dimensions stand row after row
    int width = 0;       ///< bytes of a value: 1, 2, 4 or 8
    int64_t offset = 0;  ///< of the first byte, where all lie in the file in order as unsigned
                         ///< little-endian numbers, or as signed ones of 32 or 64 bits (a negative
                         ///< one reads as one beyond int32); -1: they are to be read
};

/// The arrays of integers with one or two dimensions, sorted by name; links out of the file,
/// external and virtual storage left out. UserError for what is no HDF5 file, or a damaged one.
std::vector<IntegerArray> integer_arrays_of(const std::filesystem::path& path);

/// Values that read_integers() reads at most.
constexpr int64_t kMostIntegersRead = int64_t{1} << 29;

/// All values of an array that integer_arrays_of() names. UserError for values outside [0, 2^31),
/// for more than kMostIntegersRead, for a filter that this HDF5 does not have, for damage.
std::vector<int32_t> read_integers(const std::filesystem::path& path, const std::string& name);

}  // namespace headroom
