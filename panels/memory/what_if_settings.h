#pragma once

#include <cstdint>

namespace headroom {

/// A slider whose positions are values four to the doubling; position 0 is a value of its own (0:
/// "as the job says", or the least one).
struct LogScale {
    int64_t least = 1;  ///< at position 1
    int64_t most = 1;   ///< at last()
    int64_t zero = 0;   ///< at position 0

    int last() const;
    /// REQUIRES: 0 <= position <= last(). Values grow with their positions.
    int64_t value(int position) const;
    /// The position that comes nearest to a value.
    int position(int64_t value) const;
};

inline constexpr LogScale kContextScale{16, int64_t{1} << 20, 0};
inline constexpr LogScale kBatchScale{1, 4096, 0};

}  // namespace headroom
