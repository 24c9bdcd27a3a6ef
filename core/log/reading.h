#pragma once

namespace headroom::h5 {

/// How a file is read: one that this program wrote and closed, a log, which may be growing, or one
/// of any program (integer_array.h).
enum class Reading : char { kClosedFile, kWhileWritten, kForeign };

}  // namespace headroom::h5
