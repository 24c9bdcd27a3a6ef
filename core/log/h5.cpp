#include "core/log/h5.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include <fmt/format.h>

namespace headroom::h5 {
namespace {

/// Keeps the description of the innermost frame, the one that knows why.
herr_t keep_innermost(unsigned depth, const H5E_error2_t* entry, void* text) {
    if (depth == 0 && entry->desc != nullptr) *static_cast<std::string*>(text) = entry->desc;
    return 0;
}

/// The library wraps what the operating system said: "..., error message = 'No space left ...',
/// ...".
std::string reason_of_last_error() {
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &text);
    const std::string_view before = "error message = '";
    const size_t begin = text.find(before);
    if (begin == std::string::npos) return text;
    const size_t start = begin + before.size();
    return text.substr(start, text.find('\'', start) - start);
}

}  // namespace

void prepare() {
    static std::once_flag once;
    // A file whose disk is full cannot be flushed at exit either; the library would try for ever.
    std::call_once(once, [] {
        H5dont_atexit();
        H5open();
    });
    thread_local const herr_t silenced = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    static_cast<void>(silenced);
}

void fail(std::string_view doing) {
    const std::string reason = reason_of_last_error();
    throw Error(reason.empty() ? fmt::format("could not {}", doing)
                               : fmt::format("{} (could not {})", reason, doing));
}

template <>
hid_t native_type<int8_t>() {
    return H5T_NATIVE_INT8;
}
template <>
hid_t native_type<uint8_t>() {
    return H5T_NATIVE_UINT8;
}
template <>
hid_t native_type<int32_t>() {
    return H5T_NATIVE_INT32;
}
template <>
hid_t native_type<int64_t>() {
    return H5T_NATIVE_INT64;
}
template <>
hid_t native_type<uint64_t>() {
    return H5T_NATIVE_UINT64;
}
template <>
hid_t native_type<float>() {
    return H5T_NATIVE_FLOAT;
}
template <>
hid_t native_type<double>() {
    return H5T_NATIVE_DOUBLE;
}

/// std::bad_alloc where there is little memory: HDF5 1.10 ends the program if it gets none for a
/// file that it opens.
static void require_memory() {
    constexpr size_t kNeeded = 8 << 20;
    void* volatile memory = std::malloc(kNeeded);
    if (memory == nullptr) throw std::bad_alloc();
    std::free(memory);
}

Id log_access() {
    require_memory();
    // 26 attempts with a doubling wait give up on a damaged file after 0.1 s; the default of 100
    // hangs. Live reads were correct with 10.
    constexpr unsigned kReadAttempts = 26;
    Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make access properties");
    check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST),
          "ask for the latest format");
    check(H5Pset_file_locking(access.get(), false, true), "turn file locks off");
    check(H5Pset_metadata_read_attempts(access.get(), kReadAttempts), "bound the read attempts");
    return access;
}

Id create_file(const std::filesystem::path& path, uint64_t alignment) {
    const Id access = log_access();
    check(H5Pset_alignment(access.get(), 1, alignment), "ask for an alignment");
    return Id(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get()), H5Fclose,
              "create the file");
}

namespace {

/// Nobody reads the same rows of a log twice soon, and the library would keep a megabyte of every
/// column: of a hundred long logs more than all that is drawn of them.
void keep_no_chunks(const Id& access) {
    constexpr size_t kSlots = 1, kBytes = 0;
    check(H5Pset_cache(access.get(), 0, kSlots, kBytes, 0), "turn the cache of rows off");
}

/// UTF-8 texts of exactly `size` bytes, padded with zeros.
Id text_type(size_t size) {
    Id type(H5Tcopy(H5T_C_S1), H5Tclose, "make a string type");
    check(H5Tset_size(type.get(), std::max<size_t>(size, 1)), "size a string type");
    check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "pad a string type");
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "mark a string as UTF-8");
    return type;
}

}  // namespace

Id open_file(const std::filesystem::path& path, Reading reading) {
    const Id access = log_access();
    const bool is_log = reading == Reading::kWhileWritten;
    if (is_log) keep_no_chunks(access);
    const unsigned how = is_log ? H5F_ACC_RDONLY | H5F_ACC_SWMR_READ : H5F_ACC_RDONLY;
    return {H5Fopen(path.c_str(), how, access.get()), H5Fclose, "open it as HDF5"};
}

void require_hard_links(hid_t file, const std::string& path) {
    for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        H5L_info_t link{};
        if (H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0)
            throw Error(fmt::format("it has no {}", path));
        check(H5Lget_info(file, part.c_str(), &link, H5P_DEFAULT), "look at " + part);
        if (link.type != H5L_TYPE_HARD) throw Error(fmt::format("{} is a link elsewhere", part));
        if (end == std::string::npos) return;
    }
}

void write_attribute(hid_t object, const char* name, std::span<const std::string> texts) {
    size_t width = 1;
    for (const std::string& text : texts) width = std::max(width, text.size());
    std::string padded;
    for (const std::string& text : texts) padded += text + std::string(width - text.size(), '\0');
    const Id type = text_type(width);
    const hsize_t count = texts.size();
    const Id space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a shape");
    const Id attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                       H5Aclose, "create an attribute");
    check(H5Awrite(attribute.get(), type.get(), padded.data()), "write an attribute");
}

void write_attribute(hid_t object, const char* name, std::string_view text) {
    const Id type = text_type(text.size());
    const Id space(H5Screate(H5S_SCALAR), H5Sclose, "make a scalar");
    const Id attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                       H5Aclose, "create an attribute");
    const char empty = '\0';
    check(H5Awrite(attribute.get(), type.get(), text.empty() ? &empty : text.data()),
          "write an attribute");
}

std::string read_attribute(hid_t object, const char* name, size_t max_bytes) {
    const Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose,
                       fmt::format("find the attribute \"{}\"", name));
    const Id type(H5Aget_type(attribute.get()), H5Tclose, "read the type of an attribute");
    const Id space(H5Aget_space(attribute.get()), H5Sclose, "read the shape of an attribute");
    const size_t size = H5Tget_size(type.get());
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0 ||
        H5Sget_simple_extent_npoints(space.get()) != 1 || size == 0 || size > max_bytes)
        throw Error(fmt::format("the attribute \"{}\" is not a fixed-length string", name));
    std::string text(size, '\0');
    check(H5Aread(attribute.get(), type.get(), text.data()), "read an attribute");
    text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
    return text;
}

bool is_in_its_file(hid_t dataset) {
    const Id how(H5Dget_create_plist(dataset), H5Pclose, "read creation properties");
    const H5D_layout_t layout = H5Pget_layout(how.get());
    return (layout == H5D_CHUNKED || layout == H5D_CONTIGUOUS || layout == H5D_COMPACT) &&
           H5Pget_external_count(how.get()) == 0;
}

bool is_stored_plainly(hid_t dataset) {
    const Id how(H5Dget_create_plist(dataset), H5Pclose, "read creation properties");
    return is_in_its_file(dataset) && H5Pget_nfilters(how.get()) == 0;
}

std::vector<std::string> names_in(hid_t group) {
    std::vector<std::string> names;
    hsize_t at = 0;
    check(H5Literate(
              group, H5_INDEX_NAME, H5_ITER_INC, &at,
              [](hid_t, const char* name, const H5L_info_t* link, void* all) -> herr_t {
                  if (link->type == H5L_TYPE_HARD)
                      static_cast<std::vector<std::string>*>(all)->emplace_back(name);
                  return 0;
              },
              &names),
          "list a group");
    return names;
}

}  // namespace headroom::h5
