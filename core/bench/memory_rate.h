#pragma once

namespace headroom {

/// Bytes per second that all threads together read from memory: the best of several passes over a
/// buffer far larger than any cache. What decoding at batch 1 cannot beat.
double measure_memory_rate();

}  // namespace headroom
