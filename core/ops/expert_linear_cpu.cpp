#include <algorithm>
#include <type_traits>

#include "core/cpu/cpu_context.h"
#include "core/ops/dispatch.h"
#include "core/ops/expert_linear.h"
#include "core/ops/skinny_gemm.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

/// The rows of one expert.
struct Rows {
    int64_t begin = 0, count = 0;
};

Rows rows_of(const Tensor& offsets, int64_t expert) {
    const auto* at = offsets.as<const int32_t>() + expert;
    return {at[0], at[1] - at[0]};
}

int64_t experts_of(const Tensor& offsets) {
    return offsets.count() - 1;
}

/// Calls f(rows) for pieces of the rows. How many rows an expert gets changes from step to step,
/// and oneDNN makes a bfloat16 product for each size, which takes longer than to run it: sizes are
/// powers of two, of which there are few. float and double have no such cost.
template <class T, class F>
void each_piece(Rows rows, int64_t smallest, F&& f) {
    constexpr int64_t kLargest = 2048;
    if (!std::is_same_v<T, bf16>) {
        if (rows.count > 0) f(rows);
        return;
    }
    for (int64_t size = kLargest; rows.count > 0; size /= 2) {
        while (rows.count >= size || (rows.count > 0 && size <= smallest)) {
            const int64_t count = std::min(size, rows.count);
            f(Rows{rows.begin, count});
            rows.begin += count;
            rows.count -= count;
        }
    }
}

template <class T>
void zero_behind(const Tensor& y, const Tensor& offsets) {
    const int64_t end = offsets.as<const int32_t>()[experts_of(offsets)];
    std::fill(y.as<T>() + end * y.columns(), y.as<T>() + y.count(), T{});
}

/// y = x W_e, or with `transposed` x W_e^T, row by row.
template <class T>
void multiply_rows(const KernelCall& call, bool transposed) {
    const Tensor &x = call.inputs[0], &offsets = call.inputs[1], &y = call.outputs[0];
    const int64_t in = x.columns(), out = y.columns();
    const bool adds = call.accumulate[0] != 0;
    for (int64_t e = 0; e < experts_of(offsets); ++e) {
        const T* w = call.inputs[static_cast<size_t>(e) + 2].as<const T>();
        each_piece<T>(rows_of(offsets, e), kSkinnyRows, [&](Rows rows) {
            const T* from = x.as<const T>() + rows.begin * in;
            T* to = y.as<T>() + rows.begin * out;
            const GemmShape shape{rows.count, out, in, false, transposed, in, transposed ? in : out,
                                  out,        adds};
            if (rows.count > kSkinnyRows)
                call.cpu.gemm(shape, from, w, to);
            else
                skinny_gemm(shape, from, w, to,
                            reinterpret_cast<accumulator_t<T>*>(call.workspace.data()));
        });
    }
    if (!adds) zero_behind<T>(y, offsets);
}

template <class T>
void multiply_reference(const KernelCall& call, bool transposed) {
    const Tensor &x = call.inputs[0], &offsets = call.inputs[1], &y = call.outputs[0];
    const int64_t in = x.columns(), out = y.columns();
    for (int64_t e = 0; e < experts_of(offsets); ++e) {
        const Rows rows = rows_of(offsets, e);
        gemm_reference<T>({rows.count, out, in, false, transposed, in, transposed ? in : out, out,
                           call.accumulate[0] != 0},
                          x.as<const T>() + rows.begin * in,
                          call.inputs[static_cast<size_t>(e) + 2].as<const T>(),
                          y.as<T>() + rows.begin * out);
    }
    if (call.accumulate[0] == 0) zero_behind<T>(y, offsets);
}

/// The products of one expert's gradient, piece by piece: each adds to those before it.
template <class T, class Multiply>
void weight_gradient(const KernelCall& call, int64_t expert, Multiply&& multiply) {
    using A = accumulator_t<T>;
    const Tensor &x = call.inputs[0], &dy = call.inputs[1];
    const Tensor& dw = call.outputs[static_cast<size_t>(expert)];
    const int64_t in = x.columns(), out = dy.columns();
    bool adds = call.accumulate[static_cast<size_t>(expert)] != 0;
    const Rows all = rows_of(call.inputs[2], expert);
    if (all.count == 0 && !adds) std::fill_n(dw.as<A>(), dw.count(), A{});
    each_piece<T>(all, 1, [&](Rows rows) {
        GemmShape shape{in, out, rows.count, true, false, in, out, out, adds};
        shape.read_late = rows.count == all.count;
        multiply(shape, x.as<const T>() + rows.begin * in, dy.as<const T>() + rows.begin * out,
                 dw.as<A>());
        adds = true;
    });
}

/// Calls f(expert, row) for every row of an expert.
template <class F>
void each_expert_row(const Tensor& offsets, F&& f) {
    for (int64_t e = 0; e < experts_of(offsets); ++e) {
        const Rows rows = rows_of(offsets, e);
        for (int64_t r = rows.begin; r < rows.begin + rows.count; ++r) f(e, r);
    }
}

template <class T>
void add_biases(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor &x = call.inputs[0], &offsets = call.inputs[1], &y = call.outputs[0];
    const int64_t width = x.columns(), end = offsets.as<const int32_t>()[experts_of(offsets)];
    const bool adds = call.accumulate[0] != 0;
    for (int64_t e = 0; e < experts_of(offsets); ++e) {
        const Rows rows = rows_of(offsets, e);
        const A* b = call.inputs[static_cast<size_t>(e) + 2].as<const A>();
        parallel_for(rows.count, 64, [&](int64_t first, int64_t last) {
            for (int64_t i = (rows.begin + first) * width; i < (rows.begin + last) * width;
                 i += width)
                for (int64_t c = 0; c < width; ++c)
                    store(y.as<T>()[i + c], static_cast<A>(x.as<const T>()[i + c]) + b[c], adds);
        });
    }
    for (int64_t i = end * width; i < y.count(); ++i)
        store(y.as<T>()[i], static_cast<A>(x.as<const T>()[i]), adds);
}

template <class T>
void sum_biases(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor &dy = call.inputs[0], &offsets = call.inputs[1];
    const int64_t width = dy.columns();
    parallel_for(width, 64, [&](int64_t begin, int64_t end) {
        for (int64_t e = 0; e < experts_of(offsets); ++e) {
            A* db = call.outputs[static_cast<size_t>(e)].as<A>();
            if (call.accumulate[static_cast<size_t>(e)] == 0) std::fill(db + begin, db + end, A{});
        }
        each_expert_row(offsets, [&](int64_t e, int64_t r) {
            A* db = call.outputs[static_cast<size_t>(e)].as<A>();
            const T* row = dy.as<const T>() + r * width;
            for (int64_t c = begin; c < end; ++c) db[c] += static_cast<A>(row[c]);
        });
    });
}

}  // namespace

void ExpertLinear::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { multiply_rows<T>(call, false); });
}
void ExpertLinear::run_reference(const KernelCall& call) const {
    dispatch_accumulator(call.inputs[0].type.dtype,
                         [&]<class T>(T) { multiply_reference<T>(call, false); });
}

void ExpertLinearBackwardInput::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { multiply_rows<T>(call, true); });
}
void ExpertLinearBackwardInput::run_reference(const KernelCall& call) const {
    dispatch_accumulator(call.inputs[0].type.dtype,
                         [&]<class T>(T) { multiply_reference<T>(call, true); });
}

void ExpertLinearBackwardWeight::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        for (int64_t e = 0; e < experts_of(call.inputs[2]); ++e)
            weight_gradient<T>(call, e,
                               [&](const GemmShape& shape, const T* x, const T* dy,
                                   accumulator_t<T>* dw) { call.cpu.gemm(shape, x, dy, dw); });
    });
}
void ExpertLinearBackwardWeight::run_reference(const KernelCall& call) const {
    dispatch_accumulator(call.inputs[0].type.dtype, [&]<class T>(T) {
        for (int64_t e = 0; e < experts_of(call.inputs[2]); ++e)
            weight_gradient<T>(call, e, gemm_reference<T>);
    });
}

void ExpertBias::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { add_biases<T>(call); });
}
void ExpertBias::run_reference(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &offsets = call.inputs[1], &y = call.outputs[0];
    dispatch_accumulator(x.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < y.count(); ++i) {
            const int64_t r = i / y.columns(), c = i % y.columns();
            double sum = static_cast<double>(x.as<const T>()[i]);
            for (int64_t e = 0; e < experts_of(offsets); ++e) {
                const Rows rows = rows_of(offsets, e);
                if (r >= rows.begin && r < rows.begin + rows.count)
                    sum += static_cast<double>(
                        call.inputs[static_cast<size_t>(e) + 2].as<const T>()[c]);
            }
            store(y.as<T>()[i], sum, call.accumulate[0] != 0);
        }
    });
}

void ExpertBiasBackward::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { sum_biases<T>(call); });
}
void ExpertBiasBackward::run_reference(const KernelCall& call) const {
    const Tensor &dy = call.inputs[0], &offsets = call.inputs[1];
    dispatch_accumulator(dy.type.dtype, [&]<class T>(T) {
        for (int64_t e = 0; e < experts_of(offsets); ++e)
            for (int64_t c = 0; c < dy.columns(); ++c) {
                double sum = 0;
                const Rows rows = rows_of(offsets, e);
                for (int64_t r = rows.begin; r < rows.begin + rows.count; ++r)
                    sum += static_cast<double>(dy.as<const T>()[r * dy.columns() + c]);
                store(call.outputs[static_cast<size_t>(e)].as<T>()[c], sum,
                      call.accumulate[static_cast<size_t>(e)] != 0);
            }
    });
}

}  // namespace headroom
