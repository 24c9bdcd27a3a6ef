#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace headroom::cuda::simt {

/// Who reads or writes, and when: a thread between two barriers of the block, and between two of
/// its warp.
struct Moment {
    int thread;
    int barrier;
    int warp_barrier;
};

/// The shared memory of a block, with a note for every two bytes of who touched them last, so that
/// what depends on the order of threads is an error in any order.
class SharedMemory {
  public:
    /// A block begins: memory holds anything, here NaN.
    void reset(size_t bytes);

    std::byte* data() { return bytes_.data(); }

    void read(void* to, uint32_t from, size_t bytes, const Moment& now);
    void write(uint32_t to, const void* from, size_t bytes, const Moment& now);
    /// From a copy's start to its landing nobody may touch its bytes.
    void begin_copy(uint32_t to, size_t bytes, const Moment& now);
    void land_copy(uint32_t to, const void* data, size_t bytes, const Moment& now);

  private:
    struct Note {
        int write_barrier = -1, write_warp_barrier = -1, writer = -1;
        int read_barrier = -1, read_warp_barrier = -1, reader = -1;
        bool many_readers = false;  ///< several threads of the reader's warp
        bool many_warps = false;
        bool written = false, under_way = false;
    };
    struct Span {
        size_t first, last;
    };
    Span notes_of(uint32_t offset, size_t bytes) const;
    void note_read(Note& note, size_t at, const Moment& now) const;
    void note_write(Note& note, size_t at, const Moment& now) const;

    std::vector<std::byte> bytes_;
    std::vector<Note> notes_;
};

}  // namespace headroom::cuda::simt
