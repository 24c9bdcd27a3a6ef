#include "core/cpu/parallel.h"
#include "core/ops/dispatch.h"
#include "core/ops/pool.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

template <class T>
void pool_rows(const KernelCall& call, PoolKind kind) {
    using A = accumulator_t<T>;
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    const int64_t length = x.type.shape[1], width = x.columns();
    const int64_t rows = kind == PoolKind::kFirst ? 1 : length;
    const A share = A{1} / static_cast<A>(rows);
    parallel_for(y.rows(), 1, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b)
            for (int64_t c = 0; c < width; ++c) {
                A sum = 0;
                for (int64_t t = 0; t < rows; ++t)
                    sum += static_cast<A>(x.as<const T>()[(b * length + t) * width + c]);
                store(y.as<T>()[b * width + c], sum * share, call.accumulate[0] != 0);
            }
    });
}

template <class T>
void spread_rows(const KernelCall& call, PoolKind kind) {
    using A = accumulator_t<T>;
    const Tensor &dy = call.inputs[0], &dx = call.outputs[0];
    const int64_t length = dx.type.shape[1], width = dx.columns();
    const bool mean = kind == PoolKind::kMean;
    const A share = A{1} / static_cast<A>(mean ? length : 1);
    parallel_for(dx.rows(), 16, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const T* from = dy.as<const T>() + row / length * width;
            const bool reads = mean || row % length == 0;
            for (int64_t c = 0; c < width; ++c)
                store(dx.as<T>()[row * width + c], reads ? static_cast<A>(from[c]) * share : A{0},
                      call.accumulate[0] != 0);
        }
    });
}

}  // namespace

void Pool::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { pool_rows<T>(call, kind_); });
}
void Pool::run_reference(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        const int64_t length = x.type.shape[1], width = x.columns();
        for (int64_t i = 0; i < y.count(); ++i) {
            const T* first = x.as<const T>() + i / width * length * width + i % width;
            double value = static_cast<double>(first[0]);
            if (kind_ == PoolKind::kMean) {
                for (int64_t t = 1; t < length; ++t) value += static_cast<double>(first[t * width]);
                value /= static_cast<double>(length);
            }
            store(y.as<T>()[i], value, call.accumulate[0] != 0);
        }
    });
}

void PoolBackward::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { spread_rows<T>(call, kind_); });
}
void PoolBackward::run_reference(const KernelCall& call) const {
    const Tensor &dy = call.inputs[0], &dx = call.outputs[0];
    dispatch_float(dx.type.dtype, [&]<class T>(T) {
        const int64_t length = dx.type.shape[1], width = dx.columns();
        for (int64_t i = 0; i < dx.count(); ++i) {
            const int64_t b = i / width / length, t = i / width % length;
            const auto whole = static_cast<double>(dy.as<const T>()[b * width + i % width]);
            const double part = kind_ == PoolKind::kMean ? whole / static_cast<double>(length)
                                : t == 0                 ? whole
                                                         : 0.0;
            store(dx.as<T>()[i], part, call.accumulate[0] != 0);
        }
    });
}

}  // namespace headroom
