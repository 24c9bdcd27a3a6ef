#include <algorithm>
#include <cstdio>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/file_descriptor.h"
#include "core/base/open_file.h"
#include "core/log/array_file.h"
#include "core/log/array_types.h"

namespace headroom {

namespace fs = std::filesystem;

namespace h5 {

hid_t stored_type(DType dtype) {
    if (dtype == DType::kF32) return H5T_IEEE_F32LE;
    if (dtype == DType::kF64) return H5T_IEEE_F64LE;
    if (dtype == DType::kU8) return H5T_STD_U8LE;
    CHECK(dtype == DType::kI32, "arrays hold float32, float64, int32 or uint8");
    return H5T_STD_I32LE;
}

Id dense_space(const Shape& shape) {
    const std::vector<hsize_t> sizes(shape.begin(), shape.end());
    return Id(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), H5Sclose,
              "make a shape");
}

Id box_of(const Id& dataset, const Shape& first, const Shape& shape) {
    Id space(H5Dget_space(dataset.get()), H5Sclose, "read a shape");
    const std::vector<hsize_t> start(first.begin(), first.end());
    const std::vector<hsize_t> count(shape.begin(), shape.end());
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                              nullptr),
          "select a box");
    return space;
}

}  // namespace h5

template <class T>
static DType dtype_in_file() {
    if constexpr (std::is_same_v<T, int32_t>) return DType::kI32;
    if constexpr (std::is_same_v<T, uint8_t>) return DType::kU8;
    if constexpr (std::is_floating_point_v<T>) return DTypeOf<T>::value;
}

struct ArrayFileWriter::Impl {
    fs::path path, temporary;
    h5::Id file;
    FileDescriptor held;  ///< the file until it is in its place: others clear up beside it
    std::map<std::string, h5::Id> arrays;
    std::set<std::string> plain_groups, hinted_groups;  ///< without a plot hint, and with one
    bool committed = false;

    int descriptor() const {
        void* handle = nullptr;
        h5::check(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &handle), "look at the file");
        return *static_cast<int*>(handle);
    }

    void create_file() {
        do {
            temporary = fresh_temporary(path);
            file = h5::create_file(temporary);
            held = hold_temporary(descriptor());
        } while (!held);
    }

    /// Remembers every group that lies above `array`.
    void note_groups(const std::string& array) {
        for (size_t end = array.find('/', 1); end != std::string::npos;
             end = array.find('/', end + 1))
            if (const std::string group = array.substr(0, end); !hinted_groups.contains(group))
                plain_groups.insert(group);
    }

    /// Runs `work`, naming the file in what fails.
    template <class Work>
    void guarded(Work&& work) {
        h5::prepare();
        try {
            work();
        } catch (const h5::Error& error) {
            throw EnvironmentError(fmt::format("cannot write {}: {}", path.string(), error.what()),
                                   "check the folder and the free space there");
        }
    }
    const h5::Id& array(const std::string& name) const {
        const auto it = arrays.find(name);
        CHECK(it != arrays.end(), "no array " + name + " was created");
        return it->second;
    }
};

namespace {

bool has_schema(const fs::path& path, std::string_view beginning) {
    try {
        return ArrayFile(path).attribute("schema").starts_with(beginning);
    } catch (const UserError&) {
        return false;  // no HDF5 file, or a damaged one
    }
}

/// Nobody's data or log is replaced.
void check_place(const fs::path& path, std::string_view replaced) {
    require_replaceable(path);
    std::error_code ignored;
    if (!fs::exists(path, ignored) || fs::file_size(path, ignored) == 0) return;
    if (!replaced.empty() && has_schema(path, replaced)) return;
    throw UserError(fmt::format("{} exists and holds something else", path.string()),
                    "name another file, or remove it");
}

}  // namespace

ArrayFileWriter::ArrayFileWriter(fs::path path, std::string_view replaced)
    : impl_(std::make_unique<Impl>()) {
    check_place(path, replaced);
    impl_->path = std::move(path);
    try {
        impl_->guarded([&] { impl_->create_file(); });
        attribute("NX_class", "NXroot");
    } catch (...) {  // the disk may be full already
        discard();
        throw;
    }
}

ArrayFileWriter::~ArrayFileWriter() {
    if (!impl_->committed) discard();
}

void ArrayFileWriter::discard() noexcept {
    h5::prepare();
    impl_->arrays.clear();
    impl_->file.reset();
    ::unlink(impl_->temporary.c_str());
}

void ArrayFileWriter::attribute(const std::string& name, std::string_view text) {
    attribute("/", name, text);
}

void ArrayFileWriter::attribute(const std::string& path, const std::string& name,
                                std::string_view text) {
    impl_->guarded([&] {
        const h5::Id object(H5Oopen(impl_->file.get(), path.c_str(), H5P_DEFAULT), H5Oclose,
                            "open " + path);
        h5::write_attribute(object.get(), name.c_str(), text);
    });
}

void ArrayFileWriter::plot_hint(const PlotHint& hint) {
    impl_->plain_groups.erase(hint.group);
    impl_->hinted_groups.insert(hint.group);
    attribute(hint.group, "NX_class", "NXdata");
    attribute(hint.group, "signal", hint.signal);
    if (hint.axes.empty()) return;
    impl_->guarded([&] {
        const h5::Id group(H5Oopen(impl_->file.get(), hint.group.c_str(), H5P_DEFAULT), H5Oclose,
                           "open " + hint.group);
        h5::write_attribute(group.get(), "axes", std::span(hint.axes));
    });
}

void ArrayFileWriter::create(const ArraySpec& spec) {
    impl_->guarded([&] {
        const h5::Id space = h5::dense_space(spec.shape);
        const h5::Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "make link properties");
        h5::check(H5Pset_create_intermediate_group(links.get(), 1), "make groups as needed");
        const h5::Id how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make creation properties");
        if (!spec.chunk.empty()) {
            std::vector<hsize_t> chunk(spec.chunk.begin(), spec.chunk.end());
            for (size_t d = 0; d < chunk.size(); ++d)
                chunk[d] = std::min(chunk[d], static_cast<hsize_t>(spec.shape[d]));
            h5::check(H5Pset_chunk(how.get(), static_cast<int>(chunk.size()), chunk.data()),
                      "set the chunk size");
        }
        h5::Id array(H5Dcreate2(impl_->file.get(), spec.path.c_str(), h5::stored_type(spec.dtype),
                                space.get(), links.get(), how.get(), H5P_DEFAULT),
                     H5Dclose, "create " + spec.path);
        if (!spec.units.empty()) h5::write_attribute(array.get(), "units", spec.units);
        impl_->arrays.insert_or_assign(spec.path, std::move(array));
        impl_->note_groups(spec.path);
    });
}

template <class T>
void ArrayFileWriter::write(const std::string& path, const Shape& first, const Shape& shape,
                            std::span<const T> values) {
    CHECK(static_cast<int64_t>(values.size()) == count_of(shape), "as many values as the box");
    if (values.empty()) return;
    impl_->guarded([&] {
        const h5::Id& array = impl_->array(path);
        const h5::Id box = h5::box_of(array, first, shape);
        const h5::Id memory = h5::dense_space(shape);
        h5::check(H5Dwrite(array.get(), h5::native_type<T>(), memory.get(), box.get(), H5P_DEFAULT,
                           values.data()),
                  "write " + path);
    });
}

template <class T>
void ArrayFileWriter::add(const std::string& path, const Shape& shape, const std::vector<T>& values,
                          const std::string& units) {
    create({path, dtype_in_file<T>(), shape, {}, units});
    write(path, Shape(shape.size(), 0), shape, std::span<const T>(values));
}

void ArrayFileWriter::commit() {
    for (const std::string& group : impl_->plain_groups)
        attribute(group, "NX_class", "NXcollection");
    impl_->guarded([&] {
        for (auto& [name, array] : impl_->arrays) array.close("close " + name);
        h5::check(H5Fflush(impl_->file.get(), H5F_SCOPE_LOCAL), "flush");
        const bool synced = ::fsync(impl_->descriptor()) == 0;
        impl_->file.close("close");
        if (!synced || std::rename(impl_->temporary.c_str(), impl_->path.c_str()) != 0)
            throw h5::Error("it could not be moved into place");
    });
    impl_->held.reset();
    impl_->committed = true;
    sync_folder(impl_->path.parent_path());
}

#define HEADROOM_ARRAY_TYPE(T)                                                                  \
    template void ArrayFileWriter::write(const std::string&, const Shape&, const Shape&,        \
                                         std::span<const T>);                                   \
    template void ArrayFileWriter::add(const std::string&, const Shape&, const std::vector<T>&, \
                                       const std::string&)
HEADROOM_ARRAY_TYPE(float);
HEADROOM_ARRAY_TYPE(double);
HEADROOM_ARRAY_TYPE(int32_t);
HEADROOM_ARRAY_TYPE(uint8_t);
#undef HEADROOM_ARRAY_TYPE

}  // namespace headroom
