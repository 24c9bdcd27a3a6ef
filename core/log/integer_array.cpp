#include "core/log/integer_array.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/log/h5.h"
#include "core/log/integer_arrays_in.h"
#include "core/log/untrusted_file.h"

namespace headroom {
namespace h5 {
namespace {

constexpr int kMaxGroupDepth = 16;
/// Links that are followed in a file: groups may hold themselves.
constexpr size_t kMaxLinks = 4096;
constexpr double kMaxIntegers = 1e15;

/// Of one or two dimensions, else -1.
int64_t count_of(hid_t dataset) {
    const Id space(H5Dget_space(dataset), H5Sclose, "read a shape");
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank != 1 && rank != 2) return -1;
    std::vector<hsize_t> sizes(static_cast<size_t>(rank));
    check(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), "read a shape");
    double count = 1;
    for (const hsize_t size : sizes) count *= static_cast<double>(size);
    if (count > kMaxIntegers) throw Error("an array claims an impossible size");
    return H5Sget_simple_extent_npoints(space.get());
}

/// Whether bytes in the file are what IntegerArray::offset says of them.
bool is_as_in_memory(hid_t type) {
    const size_t bytes = H5Tget_size(type);
    return H5Tget_precision(type) == 8 * bytes && H5Tget_offset(type) == 0 &&
           (bytes == 1 || H5Tget_order(type) == H5T_ORDER_LE) &&
           (bytes >= 4 || H5Tget_sign(type) == H5T_SGN_NONE);
}

int64_t offset_of(hid_t dataset, hid_t type) {
    const Id how(H5Dget_create_plist(dataset), H5Pclose, "read creation properties");
    if (H5Pget_layout(how.get()) != H5D_CONTIGUOUS || H5Pget_nfilters(how.get()) != 0 ||
        !is_as_in_memory(type))
        return -1;
    const haddr_t offset = H5Dget_offset(dataset);
    constexpr auto kMost = static_cast<haddr_t>(std::numeric_limits<int64_t>::max());
    return offset <= kMost ? static_cast<int64_t>(offset) : -1;
}

/// Appends `dataset`, named `name`, if it is one that integer_arrays_of() gives.
void add_array(hid_t dataset, const std::string& name, std::vector<IntegerArray>& found) {
    const Id type(H5Dget_type(dataset), H5Tclose, "read a type");
    const size_t width = H5Tget_size(type.get());
    if (H5Tget_class(type.get()) != H5T_INTEGER || !is_in_its_file(dataset)) return;
    if (width != 1 && width != 2 && width != 4 && width != 8) return;
    const int64_t count = count_of(dataset);
    if (count < 0) return;
    found.push_back({name, count, static_cast<int>(width), offset_of(dataset, type.get())});
}

struct ArraySearch {
    std::vector<IntegerArray> found;
    size_t links = 0;
};

void search_group(hid_t group, const std::string& prefix, int depth, ArraySearch& to) {
    for (const std::string& name : names_in(group)) {
        if (++to.links > kMaxLinks) throw Error("it holds too many objects");
        const Id object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose, "open " + name);
        const H5I_type_t type = H5Iget_type(object.get());
        if (type == H5I_DATASET) add_array(object.get(), prefix + name, to.found);
        if (type == H5I_GROUP && depth < kMaxGroupDepth)
            search_group(object.get(), prefix + name + "/", depth + 1, to);
    }
}

}  // namespace

std::vector<IntegerArray> integer_arrays_in(hid_t file) {
    const Id root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "open /");
    ArraySearch all;
    search_group(root.get(), "", 0, all);
    std::sort(all.found.begin(), all.found.end(),
              [](const IntegerArray& a, const IntegerArray& b) { return a.name < b.name; });
    return std::move(all.found);
}

std::vector<int32_t> read_integers_in(hid_t file, const IntegerArray& array) {
    if (array.count == 0) return {};
    const Id dataset(H5Dopen2(file, array.name.c_str(), H5P_DEFAULT), H5Dclose,
                     "open " + array.name);
    // Deflate packs a byte into no less than 1/1032 of one.
    constexpr double kBestPacking = 1032;
    if (static_cast<double>(array.count) * array.width >
        kBestPacking * static_cast<double>(H5Dget_storage_size(dataset.get())))
        throw Error(fmt::format("{} claims more values than it stores", printable(array.name, 60)));
    std::vector<int32_t> values(static_cast<size_t>(array.count));
    // One call: the library unpacks each chunk once. What does not fit becomes the nearest number.
    check(H5Dread(dataset.get(), native_type<int32_t>(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                  values.data()),
          "read " + array.name);
    return values;
}

}  // namespace h5

namespace {

namespace fs = std::filesystem;

template <class Work>
auto with_file(const fs::path& path, Work&& work) {
    h5::prepare();
    try {
        const h5::Id file = h5::open_untrusted(path, h5::Reading::kForeign);
        return work(file.get());
    } catch (const h5::Error& error) {
        throw UserError(fmt::format("cannot read {}: {}", path.string(), error.what()),
                        "check it with h5dump, or write it in h5py's default format");
    }
}

}  // namespace

std::vector<IntegerArray> integer_arrays_of(const fs::path& path) {
    return with_file(path, [](hid_t file) { return h5::integer_arrays_in(file); });
}

std::vector<int32_t> read_integers(const fs::path& path, const std::string& name) {
    return with_file(path, [&](hid_t file) {
        for (const IntegerArray& array : h5::integer_arrays_in(file)) {
            if (array.name != name) continue;
            const std::string label = fmt::format("{} of {}", printable(name, 100), path.string());
            if (array.count > kMostIntegersRead)
                throw UserError(
                    fmt::format("{} holds {} numbers in chunks", label, array.count),
                    fmt::format("more than {} are to be stored in one piece, uncompressed",
                                kMostIntegersRead));
            std::vector<int32_t> values = h5::read_integers_in(file, array);
            for (size_t i = 0; i < values.size(); ++i)
                if (values[i] < 0 || values[i] == std::numeric_limits<int32_t>::max())
                    throw UserError(
                        fmt::format("value {} of {} is below 0 or beyond 31 bits", i, label),
                        "give ids of tokens");
            return values;
        }
        throw h5::Error(fmt::format("it has no array of integers {}", printable(name, 100)));
    });
}

}  // namespace headroom
