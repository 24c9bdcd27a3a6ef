#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/file_descriptor.h"

namespace headroom {

/// The one way to open files of a study, a run or a person: folders come from strangers, as
/// archives do, and may hold links and named pipes under the names of ordinary files.

/// For reading. A link is followed; a named pipe is never waited for. UserError naming the file if
/// it is missing, may not be read, or is no regular file.
FileDescriptor open_for_reading(const std::filesystem::path& path);

enum class OpenForWriting {
    kAppend,  ///< what is written goes to the end
    kInPlace  ///< as it is, readable too
};

/// For writing in place; made where missing. What stands under that name must be a regular file:
/// a link, which may lead out of the folder, and a pipe are refused. EnvironmentError naming the
/// file.
FileDescriptor open_for_writing(const std::filesystem::path& path, OpenForWriting how);

/// A name beside `path` under which nothing lies: PATH.PID.COUNTER.tmp, unique among living
/// processes and recognisable as a leftover. Create it with O_EXCL, which follows no link.
std::filesystem::path fresh_temporary(const std::filesystem::path& path);

/// Holds a file of such a name, just created as `fd`, so that remove_stale_temporaries() leaves it
/// alone until both `fd` and what this returns are closed; of a writer beside which others may
/// clear up. Nothing where somebody did so in between: create another. EnvironmentError without a
/// descriptor to hold it by.
FileDescriptor hold_temporary(int fd);

/// UserError naming `path` where something lies there that is no regular file and must not be
/// replaced by one: a folder, a link, a device, a pipe.
void require_replaceable(const std::filesystem::path& path);

/// Whether `folder`, which need not exist yet, lies in `root` once all links are followed.
bool is_inside(const std::filesystem::path& root, const std::filesystem::path& folder);

/// UserError naming `folder` unless it is inside `root`.
void require_inside(const std::filesystem::path& root, const std::filesystem::path& folder);

}  // namespace headroom
