#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "core/log/reading.h"

/// The lowest layer of the log: HDF5 handles that cannot leak and calls that cannot fail unseen.
/// Private to core/log/. HDF5 itself prints nothing; every thread calls prepare() first.
namespace headroom::h5 {

/// A failed HDF5 call: the innermost reason that the library gives, such as "No space left on
/// device". The layers above turn it into an error that names the file.
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Silences the library in this thread and keeps it from flushing files at exit. Cheap to repeat.
void prepare();

/// Whether all of a dataset lies in its own file: no other files, not virtual.
bool is_in_its_file(hid_t dataset);
/// The same, and as it is: no filters.
bool is_stored_plainly(hid_t dataset);
/// Names in a group, sorted; soft and external links left out, which could lead out of the file.
std::vector<std::string> names_in(hid_t group);

/// Throws Error for a negative `status`, else returns it. `doing` completes "could not ...".
template <class Status>
Status check(Status status, std::string_view doing);
[[noreturn]] void fail(std::string_view doing);

/// Owns one identifier of any kind. Move-only. Closing errors are ignored, except by close().
class Id {
  public:
    using Close = herr_t (*)(hid_t);

    Id() = default;
    /// Throws Error if `id` is not valid.
    Id(hid_t id, Close closer, std::string_view doing) : id_(check(id, doing)), close_(closer) {}
    ~Id() { reset(); }
    Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Id& operator=(Id&& other) noexcept {
        if (this != &other) {
            reset();
            id_ = std::exchange(other.id_, -1);
            close_ = other.close_;
        }
        return *this;
    }

    hid_t get() const { return id_; }
    explicit operator bool() const { return id_ >= 0; }
    void reset() noexcept {
        if (id_ >= 0) close_(std::exchange(id_, -1));
    }
    /// Leaves the object open for ever.
    void abandon() noexcept { id_ = -1; }
    void close(std::string_view doing) {
        if (id_ >= 0) check(close_(std::exchange(id_, -1)), doing);
    }

  private:
    hid_t id_ = -1;
    Close close_ = nullptr;
};

/// The memory type of T.
template <class T>
hid_t native_type();
template <>
hid_t native_type<int8_t>();
template <>
hid_t native_type<uint8_t>();
template <>
hid_t native_type<int32_t>();
template <>
hid_t native_type<int64_t>();
template <>
hid_t native_type<uint64_t>();
template <>
hid_t native_type<float>();
template <>
hid_t native_type<double>();

/// File access properties of the log: latest format, no file locks (the run's own lock guards the
/// writer, and a reader must never block one), bounded retries of reads.
Id log_access();

/// A new file with those properties; Error if anything lies under that name, a link too. Each of
/// its objects begins at a multiple of `alignment` bytes.
Id create_file(const std::filesystem::path& path, uint64_t alignment = 1);

/// Opens a file with those properties. One that strangers may have made is opened by
/// open_untrusted() (untrusted_file.h).
Id open_file(const std::filesystem::path& path, Reading reading);

/// Error unless an object lies at `path`, "/a/b", and no part of that is a soft or an external
/// link, which could lead out of the file or in circles.
void require_hard_links(hid_t file, const std::string& path);

/// Writes a fixed-length UTF-8 string attribute. Variable-length ones do not go with SWMR.
void write_attribute(hid_t object, const char* name, std::string_view text);
/// The same for a list of them, padded to one length.
void write_attribute(hid_t object, const char* name, std::span<const std::string> texts);
/// Reads a fixed-length string attribute of at most `max_bytes`; Error if it is anything else.
std::string read_attribute(hid_t object, const char* name, size_t max_bytes);

template <class Status>
Status check(Status status, std::string_view doing) {
    if (status < 0) fail(doing);
    return status;
}

}  // namespace headroom::h5
