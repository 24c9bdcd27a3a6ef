#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/log/array_file.h"
#include "core/log/array_types.h"
#include "core/log/untrusted_file.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxAttributeBytes = size_t{16} << 20;
/// Of chunks that are kept per array; what panning reads again and again.
constexpr size_t kChunkCacheBytes = size_t{4} << 20;

DType dtype_of(hid_t dataset, const std::string& path) {
    const h5::Id type(H5Dget_type(dataset), H5Tclose, "read a type");
    const size_t size = H5Tget_size(type.get());
    const H5T_class_t kind = H5Tget_class(type.get());
    if (kind == H5T_FLOAT && size == 4) return DType::kF32;
    if (kind == H5T_FLOAT && size == 8) return DType::kF64;
    if (kind == H5T_INTEGER && size == 4) return DType::kI32;
    if (kind == H5T_INTEGER && size == 1 && H5Tget_sign(type.get()) == H5T_SGN_NONE)
        return DType::kU8;
    throw h5::Error(fmt::format("{} holds neither float32, float64, int32 nor uint8", path));
}

Shape shape_of(hid_t dataset) {
    const h5::Id space(H5Dget_space(dataset), H5Sclose, "read a shape");
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank < 1 || rank > 8) throw h5::Error("an array has no dimensions or too many");
    std::vector<hsize_t> sizes(static_cast<size_t>(rank));
    h5::check(H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr), "read a shape");
    // Products of sizes must not overflow; no array of ours comes near.
    double count = 1;
    for (const hsize_t size : sizes) count *= static_cast<double>(size);
    if (count > 1e15) throw h5::Error("an array claims an impossible size");
    return Shape(sizes.begin(), sizes.end());
}

struct OpenArray {
    h5::Id dataset;
    TensorType type;
};

}  // namespace

struct ArrayFile::Impl {
    fs::path path;
    h5::Id file;
    std::mutex mutex;
    std::map<std::string, OpenArray> arrays;

    template <class Work>
    auto guarded(Work&& work) {
        const std::lock_guard lock(mutex);
        h5::prepare();
        try {
            return work();
        } catch (const h5::Error& error) {
            throw UserError(fmt::format("cannot read {}: {}", path.string(), error.what()),
                            "make the file again with headroom probe");
        }
    }

    const OpenArray& array(const std::string& name) {
        if (const auto it = arrays.find(name); it != arrays.end()) return it->second;
        h5::require_hard_links(file.get(), name);
        const h5::Id access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "make access properties");
        h5::check(H5Pset_chunk_cache(access.get(), 1009, kChunkCacheBytes, 1.0), "bound a cache");
        OpenArray open;
        open.dataset =
            h5::Id(H5Dopen2(file.get(), name.c_str(), access.get()), H5Dclose, "open " + name);
        if (!h5::is_stored_plainly(open.dataset.get()))
            throw h5::Error(fmt::format("{} is not stored plainly in the file", name));
        open.type = {dtype_of(open.dataset.get(), name), shape_of(open.dataset.get())};
        return arrays.emplace(name, std::move(open)).first->second;
    }
};

ArrayFile::ArrayFile(fs::path path) : impl_(std::make_unique<Impl>()) {
    impl_->path = std::move(path);
    impl_->guarded(
        [&] { impl_->file = h5::open_untrusted(impl_->path, h5::Reading::kClosedFile); });
}

ArrayFile::~ArrayFile() = default;
ArrayFile::ArrayFile(ArrayFile&&) noexcept = default;
ArrayFile& ArrayFile::operator=(ArrayFile&&) noexcept = default;

const fs::path& ArrayFile::path() const {
    return impl_->path;
}

std::string ArrayFile::attribute(const std::string& name) const {
    return attribute("/", name);
}

std::string ArrayFile::attribute(const std::string& path, const std::string& name) const {
    return impl_->guarded([&]() -> std::string {
        if (path != "/") h5::require_hard_links(impl_->file.get(), path);
        const h5::Id object(H5Oopen(impl_->file.get(), path.c_str(), H5P_DEFAULT), H5Oclose,
                            "open " + path);
        if (H5Aexists(object.get(), name.c_str()) <= 0) return {};
        return h5::read_attribute(object.get(), name.c_str(), kMaxAttributeBytes);
    });
}

bool ArrayFile::has(const std::string& path) const {
    return impl_->guarded([&] {
        try {
            impl_->array(path);
            return true;
        } catch (const h5::Error&) {
            return false;
        }
    });
}

std::vector<std::string> ArrayFile::names(const std::string& group) const {
    return impl_->guarded([&] {
        try {
            if (group != "/") h5::require_hard_links(impl_->file.get(), group);
        } catch (const h5::Error&) {
            return std::vector<std::string>{};
        }
        const h5::Id open(H5Gopen2(impl_->file.get(), group.c_str(), H5P_DEFAULT), H5Gclose,
                          "open " + group);
        return h5::names_in(open.get());
    });
}

TensorType ArrayFile::type(const std::string& path) const {
    return impl_->guarded([&] { return impl_->array(path).type; });
}

template <class T>
void ArrayFile::read(const std::string& path, const Shape& first, const Shape& shape,
                     std::span<T> out) const {
    impl_->guarded([&] {
        const OpenArray& array = impl_->array(path);
        const Shape& whole = array.type.shape;
        bool inside = first.size() == whole.size() && shape.size() == whole.size();
        for (size_t d = 0; inside && d < whole.size(); ++d)
            inside = first[d] >= 0 && shape[d] >= 0 && shape[d] <= whole[d] &&
                     first[d] <= whole[d] - shape[d];
        if (!inside) throw h5::Error(fmt::format("{} has the shape {}", path, to_string(whole)));
        CHECK(static_cast<int64_t>(out.size()) == count_of(shape), "room for the box");
        if (out.empty()) return;
        const h5::Id box = h5::box_of(array.dataset, first, shape);
        const h5::Id memory = h5::dense_space(shape);
        h5::check(H5Dread(array.dataset.get(), h5::native_type<T>(), memory.get(), box.get(),
                          H5P_DEFAULT, out.data()),
                  "read " + path);
    });
}

template <class T>
std::vector<T> ArrayFile::read_all(const std::string& path, int64_t max_values) const {
    const TensorType whole = type(path);
    if (whole.count() > max_values)
        throw UserError(
            fmt::format("{}: {} holds {} numbers", impl_->path.string(), path, whole.count()),
            fmt::format("at most {} are read at once", max_values));
    std::vector<T> values(static_cast<size_t>(whole.count()));
    read(path, Shape(whole.shape.size(), 0), whole.shape, std::span<T>(values));
    return values;
}

double ArrayFile::read_number(const std::string& path) const {
    const Shape shape = type(path).shape;
    if (shape != Shape{1})
        throw UserError(fmt::format("{}: {} has the shape {}, but is one number",
                                    impl_->path.string(), path, to_string(shape)),
                        "make the file again with headroom probe");
    return read_all<double>(path).front();
}

#define HEADROOM_ARRAY_TYPE(T)                                                                  \
    template void ArrayFile::read(const std::string&, const Shape&, const Shape&, std::span<T>) \
        const;                                                                                  \
    template std::vector<T> ArrayFile::read_all(const std::string&, int64_t) const
HEADROOM_ARRAY_TYPE(float);
HEADROOM_ARRAY_TYPE(double);
HEADROOM_ARRAY_TYPE(int32_t);
HEADROOM_ARRAY_TYPE(uint8_t);
#undef HEADROOM_ARRAY_TYPE

}  // namespace headroom
