#include <algorithm>

#include "core/cpu/parallel.h"
#include "core/ops/dispatch.h"
#include "core/ops/expert_rows.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

constexpr int64_t kRowGrain = 16;

/// Calls f(row) for every row of a tensor, in parallel.
template <class F>
void each_row(int64_t rows, F&& f) {
    parallel_for(rows, kRowGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) f(row);
    });
}

template <class T>
void gather(const KernelCall& call) {
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    const int64_t width = x.columns(), top_k = call.inputs[1].columns();
    const auto* sources = call.inputs[2].as<const int32_t>();
    const bool adds = call.accumulate[0] != 0;
    each_row(y.rows(), [&](int64_t r) {
        T* to = y.as<T>() + r * width;
        const T* from = sources[r] < 0 ? nullptr : x.as<const T>() + sources[r] / top_k * width;
        for (int64_t c = 0; c < width; ++c) {
            using A = accumulator_t<T>;
            store(to[c], from == nullptr ? A{0} : static_cast<A>(from[c]), adds);
        }
    });
}

/// y[t] = sum over the slots of weight x[slot]; `weights` null: each 1.
template <class T>
void sum_slots(const Tensor& x, const accumulator_t<T>* weights, const Tensor& slots,
               const Tensor& y, bool adds) {
    using A = accumulator_t<T>;
    const int64_t width = x.columns(), top_k = slots.columns();
    each_row(y.rows(), [&](int64_t t) {
        const int32_t* slot = slots.as<const int32_t>() + t * top_k;
        T* to = y.as<T>() + t * width;
        constexpr int64_t kPiece = 64;
        A sum[kPiece];
        for (int64_t first = 0; first < width; first += kPiece) {
            const int64_t count = std::min(kPiece, width - first);
            std::fill_n(sum, count, A{0});
            for (int64_t j = 0; j < top_k; ++j) {
                if (slot[j] < 0) continue;
                const A weight = weights == nullptr ? A{1} : weights[t * top_k + j];
                const T* from = x.as<const T>() + slot[j] * width + first;
                for (int64_t c = 0; c < count; ++c) sum[c] += weight * static_cast<A>(from[c]);
            }
            for (int64_t c = 0; c < count; ++c) store(to[first + c], sum[c], adds);
        }
    });
}

template <class T>
void unsum_rows(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor &dy = call.inputs[0], &dx = call.outputs[0];
    const int64_t width = dy.columns(), top_k = call.inputs[3].columns();
    const A* weights = call.inputs[2].as<const A>();
    const auto* sources = call.inputs[4].as<const int32_t>();
    const bool adds = call.accumulate[0] != 0;
    each_row(dx.rows(), [&](int64_t r) {
        T* to = dx.as<T>() + r * width;
        const int64_t a = sources[r];
        const A weight = a < 0 ? A{0} : weights[a];
        const T* from = dy.as<const T>() + std::max<int64_t>(a, 0) / top_k * width;
        for (int64_t c = 0; c < width; ++c)
            store(to[c], a < 0 ? A{0} : weight * static_cast<A>(from[c]), adds);
    });
}

template <class T>
void weigh_slots(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor &dy = call.inputs[0], &x = call.inputs[1], &slots = call.inputs[3];
    const int64_t width = dy.columns(), top_k = slots.columns();
    each_row(slots.count(), [&](int64_t a) {
        const int64_t slot = slots.as<const int32_t>()[a];
        const T* one = dy.as<const T>() + a / top_k * width;
        const T* other = x.as<const T>() + std::max<int64_t>(slot, 0) * width;
        A sum = 0;
        if (slot >= 0)
#pragma omp simd reduction(+ : sum)
            for (int64_t c = 0; c < width; ++c)
                sum += static_cast<A>(one[c]) * static_cast<A>(other[c]);
        store(call.outputs[1].as<A>()[a], sum, call.accumulate[1] != 0);
    });
}

/// Numbers of a tensor as the specification reads them.
template <class T>
double at(const Tensor& tensor, int64_t row, int64_t column) {
    return static_cast<double>(tensor.as<const T>()[row * tensor.columns() + column]);
}

}  // namespace

void ExpertRows::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { gather<T>(call); });
}
void ExpertRows::run_reference(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &slots = call.inputs[1], &y = call.outputs[0];
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < y.count(); ++i) {
            const int64_t a = call.inputs[2].as<const int32_t>()[i / y.columns()];
            store(y.as<T>()[i], a < 0 ? 0.0 : at<T>(x, a / slots.columns(), i % y.columns()),
                  call.accumulate[0] != 0);
        }
    });
}

void ExpertRowsBackward::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        sum_slots<T>(call.inputs[0], nullptr, call.inputs[1], call.outputs[0],
                     call.accumulate[0] != 0);
    });
}
void ExpertRowsBackward::run_reference(const KernelCall& call) const {
    const Tensor &dy = call.inputs[0], &slots = call.inputs[1], &dx = call.outputs[0];
    dispatch_float(dy.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < dx.count(); ++i) {
            double sum = 0;
            for (int64_t j = 0; j < slots.columns(); ++j) {
                const int64_t slot =
                    slots.as<const int32_t>()[i / dx.columns() * slots.columns() + j];
                if (slot >= 0) sum += at<T>(dy, slot, i % dx.columns());
            }
            store(dx.as<T>()[i], sum, call.accumulate[0] != 0);
        }
    });
}

void ExpertSum::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        sum_slots<T>(call.inputs[0], call.inputs[1].as<const accumulator_t<T>>(), call.inputs[2],
                     call.outputs[0], call.accumulate[0] != 0);
    });
}
void ExpertSum::run_reference(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &slots = call.inputs[2], &y = call.outputs[0];
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < y.count(); ++i) {
            double sum = 0;
            for (int64_t j = 0; j < slots.columns(); ++j) {
                const int64_t a = i / y.columns() * slots.columns() + j;
                const int64_t slot = slots.as<const int32_t>()[a];
                const auto weight =
                    static_cast<double>(call.inputs[1].as<const accumulator_t<T>>()[a]);
                if (slot >= 0) sum += weight * at<T>(x, slot, i % y.columns());
            }
            store(y.as<T>()[i], sum, call.accumulate[0] != 0);
        }
    });
}

void ExpertSumBackward::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        unsum_rows<T>(call);
        weigh_slots<T>(call);
    });
}
void ExpertSumBackward::run_reference(const KernelCall& call) const {
    const Tensor &dy = call.inputs[0], &x = call.inputs[1], &slots = call.inputs[3];
    dispatch_float(dy.type.dtype, [&]<class T>(T) {
        using A = accumulator_t<T>;
        for (int64_t r = 0; r < x.rows(); ++r) {
            const int64_t a = call.inputs[4].as<const int32_t>()[r];
            for (int64_t c = 0; c < x.columns(); ++c)
                store(call.outputs[0].as<T>()[r * x.columns() + c],
                      a < 0 ? 0.0
                            : static_cast<double>(call.inputs[2].as<const A>()[a]) *
                                  at<T>(dy, a / slots.columns(), c),
                      call.accumulate[0] != 0);
        }
        for (int64_t a = 0; a < slots.count(); ++a) {
            const int64_t slot = slots.as<const int32_t>()[a];
            double sum = 0;
            for (int64_t c = 0; slot >= 0 && c < x.columns(); ++c)
                sum += at<T>(dy, a / slots.columns(), c) * at<T>(x, slot, c);
            store(call.outputs[1].as<A>()[a], sum, call.accumulate[1] != 0);
        }
    });
}

}  // namespace headroom
