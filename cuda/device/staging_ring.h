#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuda/device/pinned_memory.h"
#include "cuda/device/stream.h"

namespace headroom::cuda {

/// Sends numbers of the host to the device without waiting for what the device is at: they go
/// through a ring of page-locked pieces. The host waits only where the ring is full.
class StagingRing {
  public:
    explicit StagingRing(size_t piece_bytes = kPieceBytes, size_t pieces = kPieces);

    /// `from` may be changed as soon as this returns; `to` has it in the stream's turn.
    void send(void* to, std::span<const std::byte> from, cudaStream_t stream);

    static constexpr size_t kPieceBytes = size_t{1} << 18;
    static constexpr size_t kPieces = 16;

  private:
    size_t piece_bytes_;
    PinnedMemory memory_;
    std::vector<Event> sent_;  ///< one for each piece: its last copy
    size_t next_ = 0;
};

}  // namespace headroom::cuda
