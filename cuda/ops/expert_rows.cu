#include "core/ops/expert_rows.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/divider.h"

namespace headroom::cuda {
namespace {

/// What a row of an expert reads: the token's row times the assignment's weight, if there are
/// weights.
template <class T>
struct TokenRow {
    using A = accumulator_t<T>;
    const T* x;
    const A* weights;
    const int32_t* sources;
    T* y;
    int64_t columns;
    Divider by_top_k;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t row, int64_t column) const {
        const int32_t source = sources[row];
        AlignedVector<A, W> values{};
        if (source >= 0) {
            values = load_wide<W>(x + int64_t{by_top_k(source)} * columns + column);
            if (weights != nullptr) {
                const A weight = weights[source];
#pragma unroll
                for (int k = 0; k < W; ++k) values[k] *= weight;
            }
        }
        put(y + row * columns + column, values, accumulate);
    }
};

/// The sum of a token's slots, each times its weight, if there are weights.
template <class T>
struct SlotSum {
    using A = accumulator_t<T>;
    const T* x;
    const A* weights;
    const int32_t* slots;
    T* y;
    int64_t columns, top_k;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t token, int64_t column) const {
        AlignedVector<A, W> sum{};
        for (int64_t a = token * top_k; a < (token + 1) * top_k; ++a) {
            const int64_t slot = slots[a];
            if (slot < 0) continue;
            const A weight = weights == nullptr ? A(1) : weights[a];
            const AlignedVector<A, W> values = load_wide<W>(x + slot * columns + column);
#pragma unroll
            for (int k = 0; k < W; ++k) sum[k] += weight * values[k];
        }
        put(y + token * columns + column, sum, accumulate);
    }
};

/// A warp for each assignment: the product of the token's gradient and the expert's result.
template <class T>
struct SlotProduct {
    using A = accumulator_t<T>;
    const T *dy, *x;
    const int32_t* slots;
    A* y;
    int64_t columns, top_k;
    bool accumulate;

    __device__ void operator()(Block& b, int64_t a) const {
        const int64_t slot = slots[a];
        const T* one = dy + a / top_k * columns;
        const T* other = x + (slot < 0 ? 0 : slot) * columns;
        A sum = 0;
        for (int64_t c = b.thread(); slot >= 0 && c < columns; c += b.threads())
            sum += static_cast<A>(one[c]) * static_cast<A>(other[c]);
        sum = b.sum(sum);
        if (b.thread() == 0) put(y[a], sum, accumulate);
    }
};

template <class T>
void gather_tokens(const Call& call, const Tensor& x, const accumulator_t<T>* weights,
                   const Tensor& slots, const Tensor& sources) {
    const Tensor& y = call.outputs[0];
    for_row_packs<T>(call.stream, y.rows(), y.columns(), are_aligned(x.as<const T>(), y.as<T>()),
                     TokenRow<T>{x.as<const T>(), weights, sources.as<const int32_t>(), y.as<T>(),
                                 y.columns(), Divider(slots.columns()), call.accumulate[0] != 0});
}

template <class T>
void sum_slots(const Call& call, const Tensor& x, const accumulator_t<T>* weights,
               const Tensor& slots) {
    const Tensor& y = call.outputs[0];
    for_row_packs<T>(call.stream, y.rows(), y.columns(), are_aligned(x.as<const T>(), y.as<T>()),
                     SlotSum<T>{x.as<const T>(), weights, slots.as<const int32_t>(), y.as<T>(),
                                y.columns(), slots.columns(), call.accumulate[0] != 0});
}

template <class T>
void unsum(const Call& call) {
    using A = accumulator_t<T>;
    const Tensor &dy = call.inputs[0], &x = call.inputs[1], &slots = call.inputs[3];
    gather_tokens<T>(call, dy, call.inputs[2].as<const A>(), slots, call.inputs[4]);
    for_rows(call.stream, slots.count(), 32,
             SlotProduct<T>{dy.as<const T>(), x.as<const T>(), slots.as<const int32_t>(),
                            call.outputs[1].as<A>(), dy.columns(), slots.columns(),
                            call.accumulate[1] != 0});
}

}  // namespace

static Kernel expert_rows_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
            gather_tokens<T>(call, call.inputs[0], nullptr, call.inputs[1], call.inputs[2]);
        });
    };
}

static Kernel expert_rows_backward_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
            sum_slots<T>(call, call.inputs[0], nullptr, call.inputs[1]);
        });
    };
}

static Kernel expert_sum_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
            sum_slots<T>(call, call.inputs[0], call.inputs[1].as<const accumulator_t<T>>(),
                         call.inputs[2]);
        });
    };
}

static Kernel expert_sum_backward_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { unsum<T>(call); });
    };
}

const RegisteredKernel kExpertRowsKernels[] = {
    {"expert_rows", expert_rows_kernel},
    {"expert_rows_backward", expert_rows_backward_kernel},
    {"expert_sum", expert_sum_kernel},
    {"expert_sum_backward", expert_sum_backward_kernel}};

}  // namespace headroom::cuda
