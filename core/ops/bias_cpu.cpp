#include <algorithm>

#include "core/cpu/parallel.h"
#include "core/ops/bias.h"
#include "core/ops/column_sums.h"
#include "core/ops/dispatch.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

constexpr int64_t kRowGrain = 16;

template <class T>
void add(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor& x = call.inputs[0];
    const int64_t width = x.columns();
    const A* bias = call.inputs[1].as<const A>();
    const bool accumulate = call.accumulate[0] != 0;
    parallel_for(x.rows(), kRowGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const T* from = x.as<const T>() + row * width;
            T* y = call.outputs[0].as<T>() + row * width;
            if (accumulate)
                for (int64_t c = 0; c < width; ++c)
                    y[c] = static_cast<A>(y[c]) + static_cast<A>(from[c]) + bias[c];
            else
#pragma omp simd
                for (int64_t c = 0; c < width; ++c) y[c] = static_cast<A>(from[c]) + bias[c];
        }
    });
}

template <class T>
void sum_rows(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor& dy = call.inputs[0];
    const int64_t width = dy.columns();
    auto* partial = reinterpret_cast<A*>(call.workspace.data());
    const int64_t blocks = sum_by_blocks(dy.rows(), width, partial, [&](int64_t row, A* sums) {
        const T* from = dy.as<const T>() + row * width;
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) sums[c] += static_cast<A>(from[c]);
    });
    add_blocks(partial, blocks, width, 0, width, call.outputs[0].as<A>(), call.accumulate[0] != 0);
}

}  // namespace

void AddBias::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { add<T>(call); });
}

void AddBias::run_reference(const KernelCall& call) const {
    const Tensor& x = call.inputs[0];
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        for (int64_t e = 0; e < x.count(); ++e) {
            const auto bias =
                static_cast<double>(call.inputs[1].as<const accumulator_t<T>>()[e % x.columns()]);
            store(call.outputs[0].as<T>()[e], static_cast<double>(x.as<const T>()[e]) + bias,
                  call.accumulate[0] != 0);
        }
    });
}

int64_t AddBiasBackward::workspace_bytes(std::span<const TensorType> in, int) const {
    return block_sums_bytes(in[0].rows(), in[0].columns(), accumulator_of(in[0].dtype));
}

void AddBiasBackward::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { sum_rows<T>(call); });
}

void AddBiasBackward::run_reference(const KernelCall& call) const {
    const Tensor& dy = call.inputs[0];
    dispatch_float(dy.type.dtype, [&]<class T>(T) {
        for (int64_t c = 0; c < dy.columns(); ++c) {
            double sum = 0;
            for (int64_t row = 0; row < dy.rows(); ++row)
                sum += static_cast<double>(dy.as<const T>()[row * dy.columns() + c]);
            store(call.outputs[0].as<accumulator_t<T>>()[c], sum, call.accumulate[0] != 0);
        }
    });
}

}  // namespace headroom
