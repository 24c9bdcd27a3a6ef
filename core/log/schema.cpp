#include "core/log/schema.h"

#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace headroom::schema {
namespace {

template <class T>
hid_t file_type() {
    if constexpr (std::is_same_v<T, int8_t>) return H5T_STD_I8LE;
    if constexpr (std::is_same_v<T, int64_t>) return H5T_STD_I64LE;
    if constexpr (std::is_same_v<T, uint64_t>) return H5T_STD_U64LE;
    if constexpr (std::is_same_v<T, float>) return H5T_IEEE_F32LE;
    if constexpr (std::is_same_v<T, double>) return H5T_IEEE_F64LE;
}

template <class T>
constexpr const char* type_name() {
    if constexpr (std::is_same_v<T, int8_t>) return "int8";
    if constexpr (std::is_same_v<T, int64_t>) return "int64";
    if constexpr (std::is_same_v<T, uint64_t>) return "uint64";
    if constexpr (std::is_same_v<T, float>) return "float32";
    if constexpr (std::is_same_v<T, double>) return "float64";
}

/// A group that plots itself in viewers which know the NeXus hints.
h5::Id create_group(hid_t file, const char* name, const char* signal, const char* axis) {
    h5::Id group(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                 "create a group");
    if (signal == nullptr) return group;
    h5::write_attribute(group.get(), "NX_class", "NXdata");
    h5::write_attribute(group.get(), "signal", signal);
    h5::write_attribute(group.get(), "axes", axis);
    return group;
}

/// A column that grows without bound, empty.
template <class T>
void create_column(hid_t file, const std::string& path, std::string_view unit) {
    const hsize_t rows = 0, unlimited = H5S_UNLIMITED, chunk = kChunkRows;
    const h5::Id space(H5Screate_simple(1, &rows, &unlimited), H5Sclose, "make a shape");
    const h5::Id how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make creation properties");
    h5::check(H5Pset_chunk(how.get(), 1, &chunk), "set the chunk size");
    const h5::Id column(H5Dcreate2(file, path.c_str(), file_type<T>(), space.get(), H5P_DEFAULT,
                                   how.get(), H5P_DEFAULT),
                        H5Dclose, "create a column");
    if (!unit.empty()) h5::write_attribute(column.get(), "units", unit);
}

/// A single value that is overwritten in place: its storage exists from the beginning.
template <class T>
void create_cell(hid_t file, const char* path, T value) {
    const hsize_t one = 1;
    const h5::Id space(H5Screate_simple(1, &one, nullptr), H5Sclose, "make a shape");
    const h5::Id how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make creation properties");
    h5::check(H5Pset_alloc_time(how.get(), H5D_ALLOC_TIME_EARLY), "allocate early");
    const h5::Id cell(
        H5Dcreate2(file, path, file_type<T>(), space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT),
        H5Dclose, "create a cell");
    h5::check(H5Dwrite(cell.get(), h5::native_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &value),
              "write a cell");
}

template <class T>
bool has_type(hid_t dataset) {
    const h5::Id type(H5Dget_type(dataset), H5Tclose, "read a type");
    if (H5Tget_size(type.get()) != sizeof(T)) return false;
    if constexpr (std::is_floating_point_v<T>) return H5Tget_class(type.get()) == H5T_FLOAT;
    return H5Tget_class(type.get()) == H5T_INTEGER &&
           H5Tget_sign(type.get()) == (std::is_signed_v<T> ? H5T_SGN_2 : H5T_SGN_NONE);
}

void create_scalar_groups(hid_t file, const RunSeries& shape) {
    create_group(file, "/scalars", nullptr, nullptr);
    for (const auto& [name, scalar] : shape.scalars)
        create_group(file, ("/" + kScalarGroup + name).c_str(), "value", "step");
}

/// Both the group and its values say what they are.
void describe_scalars(hid_t file, const RunSeries& shape) {
    for (const auto& [name, scalar] : shape.scalars) {
        const std::string group = "/" + kScalarGroup + name;
        for (const std::string& path : {group, group + "/value"}) {
            const h5::Id object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, "open " + path);
            h5::write_attribute(object.get(), "unit", scalar.unit);
            h5::write_attribute(object.get(), "help", scalar.help);
        }
    }
}

/// "" where a log of another program says nothing.
std::string attribute_or_nothing(hid_t object, const char* name) {
    return H5Aexists(object, name) > 0 ? h5::read_attribute(object, name, kMostScalarText) : "";
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t* link, void* names) {
    auto& list = *static_cast<std::vector<std::string>*>(names);
    if (link->type == H5L_TYPE_HARD && is_scalar_name(name)) list.emplace_back(name);
    return list.size() > kMostScalars ? 1 : 0;
}

}  // namespace

bool is_optional(std::string_view path) {
    return path == "/train/batch_hash" || path == "/val/batch_hash";
}

void create_objects(hid_t file, const RunSeries& shape) {
    const h5::Id root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "open /");
    h5::write_attribute(root.get(), "schema", kSchema);
    visit_attributes(shape.attributes, [&](const char* name, const std::string& text) {
        h5::write_attribute(root.get(), name, text);
    });
    h5::write_attribute(root.get(), "NX_class", "NXroot");
    h5::write_attribute(root.get(), "default", "train");
    create_group(file, "/train", "loss", "step");
    create_group(file, "/val", "loss", "step");
    create_group(file, "/system", "tokens_per_second", "seconds");
    create_group(file, "/status", nullptr, nullptr);
    create_scalar_groups(file, shape);
    visit_columns(shape,
                  [&](const char* group, const char* name, const auto& values, const char* unit) {
                      using T = typename std::decay_t<decltype(values)>::value_type;
                      create_column<T>(file, fmt::format("/{}/{}", group, name), unit);
                  });
    describe_scalars(file, shape);
    create_cell<int8_t>(file, kState, static_cast<int8_t>(RunState::kStarting));
    create_cell<double>(file, kHeartbeat, 0.0);
}

std::map<std::string, ScalarSeries> list_scalars(hid_t file) {
    std::map<std::string, ScalarSeries> scalars;
    if (H5Lexists(file, "/scalars", H5P_DEFAULT) <= 0) return scalars;
    h5::require_hard_links(file, "/scalars");
    std::vector<std::string> names;
    const h5::Id all(H5Gopen2(file, "/scalars", H5P_DEFAULT), H5Gclose, "open /scalars");
    h5::check(H5Literate(all.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name, &names),
              "list /scalars");
    if (names.size() > kMostScalars)
        throw h5::Error(fmt::format("it has more than {} scalars", kMostScalars));
    for (const std::string& name : names) {
        const h5::Id group(H5Oopen(all.get(), name.c_str(), H5P_DEFAULT), H5Oclose,
                           "open /scalars/" + name);
        if (H5Iget_type(group.get()) != H5I_GROUP) continue;
        scalars[name].unit = attribute_or_nothing(group.get(), "unit");
        scalars[name].help = attribute_or_nothing(group.get(), "help");
    }
    return scalars;
}

template <class T>
h5::Id open_column(hid_t file, const std::string& path) {
    h5::require_hard_links(file, path);
    h5::Id dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose, "open " + path);
    if (!has_type<T>(dataset.get()))
        throw h5::Error(fmt::format("{} is not of type {}", path, type_name<T>()));
    const h5::Id space(H5Dget_space(dataset.get()), H5Sclose, "read the shape of " + path);
    if (H5Sget_simple_extent_ndims(space.get()) != 1)
        throw h5::Error(fmt::format("{} is not one-dimensional", path));
    if (!h5::is_stored_plainly(dataset.get()))
        throw h5::Error(fmt::format("{} is not stored plainly in the file", path));
    return dataset;
}
template h5::Id open_column<int8_t>(hid_t, const std::string&);
template h5::Id open_column<int64_t>(hid_t, const std::string&);
template h5::Id open_column<uint64_t>(hid_t, const std::string&);
template h5::Id open_column<float>(hid_t, const std::string&);
template h5::Id open_column<double>(hid_t, const std::string&);

RunLogAttributes read_attributes(hid_t file) {
    const h5::Id root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "open /");
    const std::string schema = h5::read_attribute(root.get(), "schema", kMaxAttributeBytes);
    if (schema != kSchema)
        throw h5::Error(fmt::format("its schema is \"{}\", not {}", schema.substr(0, 40), kSchema));
    RunLogAttributes attributes;
    visit_attributes(attributes, [&](const char* name, std::string& text) {
        text = h5::read_attribute(root.get(), name, kMaxAttributeBytes);
    });
    return attributes;
}

}  // namespace headroom::schema
