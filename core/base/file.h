#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file_descriptor.h"

namespace headroom {

/// A whole file that appears at `path` complete or not at all: written under a temporary name in
/// the same folder, synced, renamed over `path`, and the folder synced. Until commit() an older
/// file at `path` stays untouched; the destructor of an uncommitted file removes the temporary.
/// Every failure (full disk, missing folder, file-size limit) is an EnvironmentError naming `path`;
/// a UserError, where what lies there is no regular file (require_replaceable).
/// One thread at a time.
class AtomicFile {
  public:
    /// `expected_bytes`, where known, reserves the space at once, so that a disk that is too full
    /// is noticed before anything is written.
    explicit AtomicFile(std::filesystem::path path, uint64_t expected_bytes = 0);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text);
    /// Syncs and renames. REQUIRES: called once, last.
    void commit();
    /// Renames without waiting for the disk: for what carries a checksum and can be made anew.
    /// REQUIRES: called once, last.
    void commit_unsynced();

  private:
    [[noreturn]] void fail(const char* doing, int error) const;

    std::filesystem::path path_, temporary_;
    FileDescriptor file_;
    uint64_t written_ = 0;
};

void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The whole file as it is. UserError if it is missing, not a regular file or larger than
/// `max_bytes`; EnvironmentError if reading fails.
std::string read_text(const std::filesystem::path& path, uint64_t max_bytes = uint64_t{1} << 30);

/// UserError where writing `out` would replace the file `source`, which is read.
void check_not_source(const std::filesystem::path& out, const std::filesystem::path& source);

/// The last line of what a program wrote into `path`, of at most 4000 bytes; "" if there is none or
/// it cannot be read.
std::string last_line_of(const std::filesystem::path& path) noexcept;

/// Removes what killed writers left: regular files of the names that fresh_temporary() gives for
/// `path`, or for those files of `folder` whose names are `ours`. REQUIRES: another process that
/// writes such a file holds it (hold_temporary).
void remove_stale_temporaries_of(const std::filesystem::path& path);
void remove_stale_temporaries(const std::filesystem::path& folder,
                              const std::function<bool(std::string_view name)>& ours);

/// Makes sure that `bytes` can be written at `offset` of an open file, whose size stays: reserves
/// the space where the file system can, else looks at what is free. Returns 0 or the error number
/// that writing would end with (ENOSPC, EDQUOT, EFBIG).
int reserve_space(int fd, uint64_t offset, uint64_t bytes);

/// What lies in `folder`, sorted. Nothing where it is none or may not be read, and what can be read
/// of one that fails half-way.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Makes the entries of `folder` ("" = the current one) durable where the file system can.
void sync_folder(const std::filesystem::path& folder) noexcept;

/// Makes `folder` and its parents; EnvironmentError naming it if that fails.
void make_folder(const std::filesystem::path& folder);
/// The same for a folder that belongs into `root`: UserError if a link leads it elsewhere.
void make_folder_inside(const std::filesystem::path& root, const std::filesystem::path& folder);

/// Gives a folder another place on the same disk. EnvironmentError, with the reason, if it has not
/// been moved.
void move_folder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace headroom
