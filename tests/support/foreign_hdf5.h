#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>

namespace headroom {

/// Writes HDF5 files as h5py does unasked: the library's oldest format.
class ForeignHdf5 {
  public:
    explicit ForeignHdf5(const std::filesystem::path& path)
        : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {
        EXPECT_GE(file_, 0);
    }
    ForeignHdf5(const ForeignHdf5&) = delete;
    ForeignHdf5& operator=(const ForeignHdf5&) = delete;
    ~ForeignHdf5() { H5Fclose(file_); }

    /// An array whose values lie in memory as `memory_type` has them and in the file as
    /// `file_type`; in packed chunks if `chunk` is given.
    template <class T>
    void add(const std::string& name, hid_t memory_type, hid_t file_type,
             const std::vector<hsize_t>& shape, const std::vector<T>& values,
             const std::vector<hsize_t>& chunk = {}) {
        const int rank = static_cast<int>(shape.size());
        const hid_t space = H5Screate_simple(rank, shape.data(), nullptr);
        const hid_t how = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
        H5Pset_create_intermediate_group(links, 1);
        if (!chunk.empty()) {
            H5Pset_chunk(how, rank, chunk.data());
            H5Pset_shuffle(how);
            H5Pset_deflate(how, 4);
        }
        const hid_t array =
            H5Dcreate2(file_, name.c_str(), file_type, space, links, how, H5P_DEFAULT);
        EXPECT_GE(H5Dwrite(array, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
        H5Dclose(array);
        for (const hid_t list : {how, links}) H5Pclose(list);
        H5Sclose(space);
    }
    /// uint16, as ids of GPT-2 are kept.
    void add_ids(const std::string& name, const std::vector<uint16_t>& ids,
                 const std::vector<hsize_t>& chunk = {}) {
        add(name, H5T_NATIVE_UINT16, H5T_STD_U16LE, {ids.size()}, ids, chunk);
    }

    hid_t get() const { return file_; }

  private:
    hid_t file_;
};

}  // namespace headroom
