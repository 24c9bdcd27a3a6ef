#include "core/ops/bias.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/column_sums.h"

namespace headroom::cuda {
namespace {

template <class T>
struct AddBiasPacks {
    using A = accumulator_t<T>;
    const T* x;
    const A* b;
    T* y;
    int64_t columns;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t row, int64_t column) const {
        const int64_t place = row * columns + column;
        AlignedVector<A, W> sum = load_wide<W>(x + place);
        const AlignedVector<A, W> bias = load<W>(b + column);
#pragma unroll
        for (int k = 0; k < W; ++k) sum[k] += bias[k];
        put(y + place, sum, accumulate);
    }
};

template <class T>
void add_bias(const Call& call) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    const A* b = call.inputs[1].as<const A>();
    T* y = call.outputs[0].as<T>();
    const int64_t rows = call.inputs[0].rows(), columns = call.inputs[0].columns();
    for_row_packs<T>(call.stream, rows, columns, are_aligned(x, b, y),
                     AddBiasPacks<T>{x, b, y, columns, call.accumulate[0] != 0});
}

}  // namespace

static Kernel add_bias_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { add_bias<T>(call); });
    };
}

static Kernel add_bias_backward_kernel(const Op&, Types inputs) {
    int64_t bytes = 0;
    dispatch_float(inputs[0].dtype, [&]<class T>(T) {
        bytes = ColumnSums<T>(inputs[0].rows(), inputs[0].columns()).workspace_bytes();
    });
    return {[](const Call& call) {
                const Tensor& dy = call.inputs[0];
                dispatch_float(dy.type.dtype, [&]<class T>(T) {
                    ColumnSums<T>(dy.rows(), dy.columns())
                        .run(call.stream, dy.as<const T>(), call.workspace,
                             call.outputs[0].as<accumulator_t<T>>(), call.accumulate[0] != 0);
                });
            },
            bytes};
}

const RegisteredKernel kBiasKernels[] = {{"add_bias", add_bias_kernel},
                                         {"add_bias_backward", add_bias_backward_kernel}};

}  // namespace headroom::cuda
