#pragma once

#include <cstdint>

#include "core/cpu/page_memory.h"

namespace headroom {

/// Reads memory, all threads together, each its part of a buffer far larger than any cache, from
/// end to end: what decoding at batch 1 cannot beat. The rate of a shared machine changes from
/// minute to minute, so readings are to be taken in turn with what is compared with them.
class MemoryReader {
  public:
    MemoryReader();

    /// Reads the buffer once. Bytes per second.
    double read_once();

  private:
    PageMemory memory_;
};

/// The sum of `count` numbers, as fast as the processor can: what the above calls on each thread.
float sum_of_numbers(const float* x, int64_t count);

}  // namespace headroom
