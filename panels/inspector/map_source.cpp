#include "panels/inspector/map_source.h"

#include <algorithm>
#include <atomic>

namespace headroom {

static uint64_t next_serial() {
    static std::atomic<uint64_t> last{0};
    return ++last;
}

MapSource::MapSource() : serial_(next_serial()) {}

/// With a causal mask query i sees the keys up to i. In a cell whose keys are [k0, k1), query i
/// sees min(i + 1, k1) - k0 of them: none before k0, one more with every query, all from k1 - 1 on.
int64_t visible_entries(const MapInfo& info, int64_t factor, int64_t row, int64_t column) {
    const int64_t q0 = row * factor, q1 = std::min(q0 + factor, info.seq_len);
    const int64_t k0 = column * factor, k1 = std::min(k0 + factor, info.seq_len);
    if (!info.causal || q0 >= k1 - 1) return (q1 - q0) * (k1 - k0);
    const int64_t first = std::max(q0, k0);
    const int64_t full = std::min(std::max(k1 - 1, first), q1);  // from here on all keys are seen
    if (first >= q1) return 0;
    const int64_t ramp = full - first;
    const int64_t seen_at_first = first + 1 - k0;
    return ramp * seen_at_first + ramp * (ramp - 1) / 2 + (q1 - full) * (k1 - k0);
}

}  // namespace headroom
