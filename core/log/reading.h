#pragma once

namespace headroom::h5 {

/// How a file is read: one that its writer has closed, or a log, which may be growing.
enum class Reading : char { kClosedFile, kWhileWritten };

}  // namespace headroom::h5
