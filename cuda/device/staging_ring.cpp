#include "cuda/device/staging_ring.h"

#include <algorithm>
#include <cstring>

namespace headroom::cuda {

StagingRing::StagingRing(size_t piece_bytes, size_t pieces)
    : piece_bytes_(piece_bytes), memory_(piece_bytes * pieces), sent_(pieces) {}

void StagingRing::send(void* to, std::span<const std::byte> from, cudaStream_t stream) {
    for (size_t begin = 0; begin < from.size(); begin += piece_bytes_) {
        const size_t bytes = std::min(piece_bytes_, from.size() - begin);
        std::byte* piece = memory_.data() + next_ * piece_bytes_;
        sent_[next_].wait();
        std::memcpy(piece, from.data() + begin, bytes);
        check(cudaMemcpyAsync(static_cast<std::byte*>(to) + begin, piece, bytes,
                              cudaMemcpyHostToDevice, stream),
              "copy memory");
        sent_[next_].record(stream);
        next_ = (next_ + 1) % sent_.size();
    }
}

}  // namespace headroom::cuda
