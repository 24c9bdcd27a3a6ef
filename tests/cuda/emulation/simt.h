#pragma once

// What a block of threads can do on a GPU, on the host: each thread is a fiber, barriers and warp
// operations switch between them. Finds what a wrong kernel would only sometimes show on a GPU:
// a barrier that not all threads reach, shared memory that is read before it is written, before it
// is waited for or while another thread writes it, addresses that are not aligned.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace headroom::cuda::simt {

/// A kernel broke a rule of the device.
class SimtError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Settings {
    /// for_rows with as many threads as on the device; else with one, which is much faster.
    bool many_threads = false;
    /// Threads run in another order for every seed.
    uint64_t seed = 1;
    /// What a block may have, as compute capability 8.0 says (163 KB).
    size_t shared_limit = size_t{163} << 10;
};
Settings& settings();

/// Other settings for as long as it lives.
class With {
  public:
    explicit With(const Settings& now) : before_(settings()) { settings() = now; }
    ~With() { settings() = before_; }
    With(const With&) = delete;
    With& operator=(const With&) = delete;

  private:
    Settings before_;
};

using Index = std::array<int, 3>;

/// Runs every block of the grid, one after the other in any order, each with so many threads
/// (a multiple of 32). SimtError, with the block and what its threads were doing, if a rule is
/// broken.
void run_blocks(Index grid, int threads, size_t shared_bytes, const std::function<void()>& thread);

// The rest is for the threads of a block.

Index block();
int thread();
int threads();

void sync();
void sync_warp();

/// The bits that the lane whose number differs by `mask` passed.
uint64_t shuffle_xor_bits(uint64_t bits, int mask);
template <class T>
T shuffle_xor(T value, int mask) {
    static_assert(sizeof(T) <= 8);
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = shuffle_xor_bits(bits, mask);
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

/// Shared memory, by byte offset.
void load_shared(void* to, uint32_t from, size_t bytes);
void store_shared(uint32_t to, const void* from, size_t bytes);

/// The block's shared memory itself, for kernels that take a pointer to it: only missing barriers
/// that change a result in this order of threads are found.
std::byte* unwatched_shared_memory();

/// PTX ISA, cp.async: the bytes land, zeros after the first `valid` ones, when a wait has covered
/// their group.
void copy_async(uint32_t to, const void* from, int bytes, int valid);
void commit_copies();
/// Until at most `groups` of the thread's last groups are still under way.
void wait_copies(int groups);

/// PTX ISA, ldmatrix.m8n8.x4.b16: lane 8 m + r passes the address of row r of matrix m.
std::array<uint32_t, 4> ldmatrix(uint32_t address, bool transposed);

/// PTX ISA, mma.m16n8k16.row.col.f32.bf16.bf16.f32: d = a b + c.
std::array<float, 4> mma(const std::array<uint32_t, 4>& a, const std::array<uint32_t, 2>& b,
                         const std::array<float, 4>& c);

/// SimtError unless an access of so many bytes may have this address.
void check_aligned(const void* address, size_t bytes);

/// In the place of `__shared__ T name[n]` at offset 0.
template <class T>
struct SharedArray {
    struct Element {
        uint32_t offset;
        Element& operator=(const T& value) {
            store_shared(offset, &value, sizeof(T));
            return *this;
        }
        operator T() const {
            T value;
            load_shared(&value, offset, sizeof(T));
            return value;
        }
    };
    Element operator[](int i) const { return {static_cast<uint32_t>(i) * uint32_t{sizeof(T)}}; }
};

}  // namespace headroom::cuda::simt
