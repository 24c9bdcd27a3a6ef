#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <cuda_runtime.h>

namespace headroom::cuda {

/// One of the threads that work on a block together (for_blocks, cuda/primitives/launch.h): where
/// it stands, and what it does with the others. All lanes of a warp make the same warp calls, all
/// threads of a block the same sync(). Shared memory is addressed by byte offset and holds anything
/// when a block begins. On the host these calls run in tests/cuda/emulation, which finds barriers
/// that are missing.
class BlockThread {
  public:
#ifdef HEADROOM_CUDA_EMULATED
    int block_x() const {
        return simt::block()[0];
    }
    int block_y() const {
        return simt::block()[1];
    }
    int block_z() const {
        return simt::block()[2];
    }
    int thread() const {
        return simt::thread();
    }

    void sync() const {
        simt::sync();
    }
    void sync_warp() const {
        simt::sync_warp();
    }
    template <class T>
    T shuffle_xor(T value, int mask) const {
        return simt::shuffle_xor(value, mask);
    }

    /// The number at a byte offset that is a multiple of its size.
    template <class T>
    T load(uint32_t from) const {
        T value;
        simt::load_shared(&value, from, sizeof(T));
        return value;
    }
    template <class T>
    void store(uint32_t to, const T& value) const {
        simt::store_shared(to, &value, sizeof(T));
    }

    template <int kBytes>
    void copy_async(uint32_t to, const void* from, int valid) const {
        simt::copy_async(to, from, kBytes, valid);
    }
    void commit_copies() const {
        simt::commit_copies();
    }
    template <int kGroups>
    void wait_copies() const {
        simt::wait_copies(kGroups);
    }
#else
    __device__ int block_x() const {
        return static_cast<int>(blockIdx.x);
    }
    __device__ int block_y() const {
        return static_cast<int>(blockIdx.y);
    }
    __device__ int block_z() const {
        return static_cast<int>(blockIdx.z);
    }
    __device__ int thread() const {
        return static_cast<int>(threadIdx.x);
    }

    __device__ void sync() const {
        __syncthreads();
    }
    __device__ void sync_warp() const {
        __syncwarp();
    }
    template <class T>
    __device__ T shuffle_xor(T value, int mask) const {
        return __shfl_xor_sync(0xffffffffu, value, mask);
    }

    template <class T>
    __device__ T load(uint32_t from) const {
        return *reinterpret_cast<const T*>(shared() + from);
    }
    template <class T>
    __device__ void store(uint32_t to, const T& value) const {
        *reinterpret_cast<T*>(shared() + to) = value;
    }
    /// Of a byte offset, as PTX wants it.
    __device__ uint32_t address(uint32_t offset) const {
        return static_cast<uint32_t>(__cvta_generic_to_shared(shared())) + offset;
    }

    template <int kBytes>
    __device__ void copy_async(uint32_t to, const void* from, int valid) const {
        static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16);
        if constexpr (kBytes == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(address(to)),
                         "l"(__cvta_generic_to_global(from)), "r"(valid)
                         : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;\n" ::"r"(address(to)),
                         "l"(__cvta_generic_to_global(from)), "n"(kBytes), "r"(valid)
                         : "memory");
    }
    __device__ void commit_copies() const {
        asm volatile("cp.async.commit_group;\n" ::: "memory");
    }
    template <int kGroups>
    __device__ void wait_copies() const {
        asm volatile("cp.async.wait_group %0;\n" ::"n"(kGroups) : "memory");
    }

  private:
    static __device__ std::byte* shared() {
        extern __shared__ uint4 headroom_shared_memory[];
        return reinterpret_cast<std::byte*>(headroom_shared_memory);
    }

  public:
#endif
    __device__ int warp() const {
        return thread() / 32;
    }
    __device__ int lane() const {
        return thread() % 32;
    }
};

/// Several numbers of global memory in one access: the address must be aligned to all their bytes.
template <class Vector>
__device__ inline Vector load_global(const void* from) {
#ifdef HEADROOM_CUDA_EMULATED
    simt::check_aligned(from, sizeof(Vector));
    Vector value;
    std::memcpy(&value, from, sizeof(Vector));
    return value;
#else
    return *static_cast<const Vector*>(from);
#endif
}
template <class Vector>
__device__ inline void store_global(void* to, const Vector& value) {
#ifdef HEADROOM_CUDA_EMULATED
    simt::check_aligned(to, sizeof(Vector));
    std::memcpy(to, &value, sizeof(Vector));
#else
    *static_cast<Vector*>(to) = value;
#endif
}

}  // namespace headroom::cuda
