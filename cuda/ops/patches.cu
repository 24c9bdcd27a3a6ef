#include "core/ops/patches.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/divider.h"

namespace headroom::cuda {
namespace {

/// A row of x: the class token or a patch, plus its place. Null tables are left out.
template <class T>
struct PlaceRow {
    using A = accumulator_t<T>;
    const T* patches;
    const A *token, *positions;
    T* x;
    int64_t columns, length;
    Divider by_length;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t row, int64_t column) const {
        const int64_t b = by_length(row), t = row - b * length, first = token == nullptr ? 0 : 1;
        const int64_t patch = b * (length - first) + t - first;
        AlignedVector<A, W> values =
            t < first ? load<W>(token + column) : load_wide<W>(patches + patch * columns + column);
        if (positions != nullptr) {
            const AlignedVector<A, W> place = load<W>(positions + t * columns + column);
#pragma unroll
            for (int k = 0; k < W; ++k) values[k] += place[k];
        }
        put(x + row * columns + column, values, accumulate);
    }
};

template <class T>
void place(const Call& call, const PlacePatchesOptions& options) {
    using A = accumulator_t<T>;
    const Tensor& x = call.outputs[0];
    const T* patches = call.inputs[0].as<const T>();
    const A* token = options.class_token ? call.inputs[1].as<const A>() : nullptr;
    const A* positions = options.positions ? call.inputs.back().as<const A>() : nullptr;
    const int64_t length = x.type.shape[1], columns = x.columns();
    for_row_packs<T>(call.stream, x.rows(), columns,
                     are_aligned(patches, token, positions, x.as<T>()),
                     PlaceRow<T>{patches, token, positions, x.as<T>(), columns, length,
                                 Divider(length), call.accumulate[0] != 0});
}

/// The gradient of a patch's row: that of the row behind the class token.
template <class T>
struct TakePatch {
    const T* dx;
    T* dp;
    int64_t columns;
    Divider by_patches;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t row, int64_t column) const {
        const int64_t from = row + by_patches(row) + 1;
        put(dp + row * columns + column, load_wide<W>(dx + from * columns + column), accumulate);
    }
};

template <class T>
void take_patches(const Call& call) {
    const T* dx = call.inputs[0].as<const T>();
    const Tensor& dp = call.outputs[0];
    for_row_packs<T>(call.stream, dp.rows(), dp.columns(), are_aligned(dx, dp.as<T>()),
                     TakePatch<T>{dx, dp.as<T>(), dp.columns(), Divider(dp.type.shape[1]),
                                  call.accumulate[0] != 0});
}

/// A block for each column: the sum over the batch.
template <class T>
void sum_tokens(const Call& call) {
    using A = accumulator_t<T>;
    const T* dx = call.inputs[0].as<const T>();
    A* dc = call.outputs[0].as<A>();
    const int64_t batch = call.inputs[0].type.shape[0], columns = call.inputs[0].columns();
    const int64_t stride = call.inputs[0].type.shape[1] * columns;
    const bool accumulate = call.accumulate[0] != 0;
    for_rows(call.stream, columns, 128, [=] __device__(Block & block, int64_t column) {
        double sum = 0;
        for (int64_t b = block.thread(); b < batch; b += block.threads())
            sum += static_cast<double>(static_cast<A>(dx[b * stride + column]));
        sum = block.sum(sum);
        if (block.thread() == 0) put(dc[column], sum, accumulate);
    });
}

}  // namespace

static Kernel place_patches_kernel(const Op& op, Types) {
    const PlacePatchesOptions options = dynamic_cast<const PlacePatches&>(op).options();
    return [options](const Call& call) {
        dispatch_float(call.outputs[0].type.dtype, [&]<class T>(T) { place<T>(call, options); });
    };
}

static Kernel place_patches_backward_patches_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { take_patches<T>(call); });
    };
}

static Kernel place_patches_backward_token_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { sum_tokens<T>(call); });
    };
}

const RegisteredKernel kPatchesKernels[] = {
    {"place_patches", place_patches_kernel},
    {"place_patches_backward_patches", place_patches_backward_patches_kernel},
    {"place_patches_backward_token", place_patches_backward_token_kernel}};

}  // namespace headroom::cuda
