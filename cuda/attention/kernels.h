#pragma once

#include <cuda_runtime.h>

#include "cuda/attention/problem.h"
#include "cuda/attention/tile_shapes.h"

namespace headroom::cuda {

struct FlashForward {
    FlashProblem problem;
    int batch;
    void* out;   ///< [batch, seq_len, n_head d_value]
    float* lse;  ///< [batch, n_head, seq_len]
    bool add_out, add_lse;
};

// Kernels and their caller know the type of what is `void` here: that of the heads.

/// The gradient of one head.
struct HeadGradient {
    void* data = nullptr;  ///< row 0 of sequence 0; null: nobody wants it
    int64_t columns = 0;
    int output = 0;
    bool add = false;  ///< to what an earlier launch wrote; else if `output` is accumulated

    template <class T>
    __device__ T* row(int64_t n) const {
        return static_cast<T*>(data) + n * columns;
    }
};

/// A key and a value head, and the query heads that read both: readers[first_reader, readers_end).
struct KeyItem {
    HeadAt key, value;
    HeadGradient dkey, dvalue;
    int first_reader, readers_end;
    bool one_target;  ///< dkey is dvalue
};

struct FlashBackward {
    FlashProblem problem;
    int batch;
    const void* dout;  ///< [batch, seq_len, n_head d_value]
    const float *lse, *dots;
    const int* readers;
    uint64_t accumulate;  ///< bit n: output n is added to

    template <class T>
    __device__ HeadAt dout_of(int head) const {
        return {static_cast<const T*>(dout) + head * problem.d_value,
                static_cast<int64_t>(problem.n_head) * problem.d_value};
    }
    __device__ bool adds_to(const HeadGradient& head) const {
        return head.add || (accumulate >> head.output & 1) != 0;
    }
};

// On tensor cores, those of k...Shapes[kShape]; made in the file of their width.

template <int kShape>
void flash_forward(cudaStream_t stream, const FlashForward& f);

/// Gradients of the keys and values of `count` items that write different heads.
template <int kShape>
void flash_key_gradients(cudaStream_t stream, const FlashBackward& f, const KeyItem* items,
                         int count);

/// targets: of every query head.
template <int kShape>
void flash_query_gradients(cudaStream_t stream, const FlashBackward& f,
                           const HeadGradient* targets);

// In float32, for heads of at most kWidth columns: 32, 64, 96 or 128.

template <int kWidth>
void float_forward(cudaStream_t stream, const FlashForward& f);
template <int kWidth>
void float_key_gradients(cudaStream_t stream, const FlashBackward& f, const KeyItem* items,
                         int count);
template <int kWidth>
void float_query_gradients(cudaStream_t stream, const FlashBackward& f,
                           const HeadGradient* targets);

}  // namespace headroom::cuda
