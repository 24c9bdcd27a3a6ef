#pragma once

#include <cstddef>
#include <deque>

#include "core/graph/graph.h"
#include "cuda/device/pinned_memory.h"
#include "cuda/device/stream.h"

namespace headroom::cuda {

/// Brings single numbers to the host, each as it is at its place in the stream, so that the host
/// waits for that place and not for what was put into the stream after it.
class ScalarReader {
  public:
    /// Asks for the number in `value`, which lies at `scalar`.
    void start(ValueId value, const Tensor& scalar, cudaStream_t stream);
    /// The one asked for last. REQUIRES: it was asked for.
    double finish(ValueId value) const;
    bool knows(ValueId value) const;

  private:
    struct Slot {
        ValueId value;
        DType dtype;
        size_t offset;
        Event arrived;
    };
    static constexpr size_t kSlots = 16;

    Slot& slot_of(ValueId value, DType dtype);

    PinnedMemory memory_{kSlots * sizeof(double)};
    std::deque<Slot> slots_;
};

}  // namespace headroom::cuda
