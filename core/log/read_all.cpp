#include "core/log/read_all.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/log/h5.h"
#include "core/log/integer_arrays_in.h"

namespace headroom::h5 {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 16;
constexpr size_t kMaxAttributeBytes = size_t{16} << 20, kMaxValues = size_t{16} << 20;

/// Calls `work`; what the library refuses is passed over.
template <class Work>
void pass_over(Work&& work) {
    try {
        work();
    } catch (const Error&) {
        // The next one may be read.
    }
}

void read_attributes(hid_t object) {
    std::vector<std::string> names;
    hsize_t at = 0;
    H5Aiterate2(
        object, H5_INDEX_NAME, H5_ITER_INC, &at,
        [](hid_t, const char* name, const H5A_info_t*, void* all) -> herr_t {
            static_cast<std::vector<std::string>*>(all)->emplace_back(name);
            return 0;
        },
        &names);
    for (const std::string& name : names)
        pass_over([&] { read_attribute(object, name.c_str(), kMaxAttributeBytes); });
}

/// One value of every chunk: the library goes through all that says where the values are.
void read_a_value_of_each_chunk(hid_t dataset) {
    H5Drefresh(dataset);
    if (!is_stored_plainly(dataset)) return;
    const Id type(H5Dget_type(dataset), H5Tclose, "read a type");
    const H5T_class_t kind = H5Tget_class(type.get());
    if (kind != H5T_INTEGER && kind != H5T_FLOAT) return;
    const Id native(H5Tget_native_type(type.get(), H5T_DIR_ASCEND), H5Tclose, "read a type");
    const Id space(H5Dget_space(dataset), H5Sclose, "read a shape");
    const Id how(H5Dget_create_plist(dataset), H5Pclose, "read creation properties");
    const int rank = check(H5Sget_simple_extent_ndims(space.get()), "read a shape");
    if (rank < 1 || rank > H5S_MAX_RANK) return;
    const auto dimensions = static_cast<size_t>(rank);
    std::vector<hsize_t> sizes(dimensions), first(dimensions, 0), count(dimensions, 0);
    check(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), "read a shape");
    std::vector<hsize_t> step = sizes;
    if (H5Pget_layout(how.get()) == H5D_CHUNKED)
        check(H5Pget_chunk(how.get(), rank, step.data()), "read the size of chunks");
    double values = 1;
    for (size_t d = 0; d < dimensions; ++d) {
        if (sizes[d] == 0 || step[d] == 0) return;
        count[d] = (sizes[d] - 1) / step[d] + 1;
        values *= static_cast<double>(count[d]);
    }
    if (values > static_cast<double>(kMaxValues)) return;
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, first.data(), step.data(), count.data(),
                              nullptr),
          "select values");
    const Id memory(H5Screate_simple(rank, count.data(), nullptr), H5Sclose, "make a shape");
    std::vector<char> out(static_cast<size_t>(values) *
                          std::max<size_t>(H5Tget_size(native.get()), 1));
    check(H5Dread(dataset, native.get(), memory.get(), space.get(), H5P_DEFAULT, out.data()),
          "read values");
}

void read_group(hid_t group, int depth) {
    for (const std::string& name : names_in(group))
        pass_over([&] {
            const Id object(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose, "open an object");
            read_attributes(object.get());
            const H5I_type_t type = H5Iget_type(object.get());
            if (type == H5I_DATASET) read_a_value_of_each_chunk(object.get());
            if (type == H5I_GROUP && depth < kMaxDepth) read_group(object.get(), depth + 1);
        });
}

/// All that a reader of integers reads.
void read_all_integers(hid_t file) {
    for (const IntegerArray& array : integer_arrays_in(file))
        if (array.offset < 0 && array.count <= kMostIntegersRead)
            pass_over([&] { read_integers_in(file, array); });
}

}  // namespace

void read_all_of(const fs::path& path, Reading reading) {
    prepare();
    pass_over([&] {
        const Id file = open_file(path, reading);
        const Id root(H5Gopen2(file.get(), "/", H5P_DEFAULT), H5Gclose, "open /");
        read_attributes(root.get());
        if (reading == Reading::kForeign)
            read_all_integers(file.get());
        else
            read_group(root.get(), 0);
    });
    H5garbage_collect();  // gives memory back: what was written beside it shows here
}

}  // namespace headroom::h5
