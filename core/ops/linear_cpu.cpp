#include <algorithm>

#include "core/cpu/cpu_context.h"
#include "core/cpu/tile_product.h"
#include "core/cpu/weight_panels.h"
#include "core/ops/dispatch.h"
#include "core/ops/linear.h"
#include "core/ops/skinny_gemm.h"
#include "core/ops/told_norm.h"

namespace headroom {
namespace {

GemmShape input_shape(const KernelCall& call) {
    const Tensor &dy = call.inputs[0], &w = call.inputs[1];
    const int64_t in = w.type.shape[0], out = w.type.shape[1];
    const bool panels = w.type.layout == MemoryLayout::kPanels;
    return {dy.rows(),
            in,
            out,
            false,
            true,
            out,
            panels ? panel_numbers(in) : out,
            in,
            call.accumulate[0] != 0,
            panels};
}

GemmShape weight_shape(const KernelCall& call) {
    const Tensor &x = call.inputs[0], &dy = call.inputs[1];
    const int64_t in = x.columns(), out = dy.columns();
    GemmShape shape{in, out, x.rows(), true, false, in, out, out, call.accumulate[0] != 0};
    shape.read_late = true;
    return shape;
}

/// to [columns, rows] = from [rows, columns], with all threads.
void transpose(const float* from, int64_t rows, int64_t columns, float* to) {
    constexpr int64_t n = kLanes<uint32_t>;
    const auto* x = reinterpret_cast<const uint32_t*>(from);
    auto* y = reinterpret_cast<uint32_t*>(to);
    parallel_for((columns + n - 1) / n, 1, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin * n; c < std::min(end * n, columns); c += n)
            for (int64_t r = 0; r < rows; r += n) {
                if (r + n <= rows && c + n <= columns) {
                    transpose_square(x + r * columns + c, columns, y + c * rows + r, rows);
                    continue;
                }
                for (int64_t i = c; i < std::min(c + n, columns); ++i)
                    for (int64_t j = r; j < std::min(r + n, rows); ++j)
                        y[i * rows + j] = x[j * columns + i];
            }
    });
}

/// C has the storage type, or the accumulator type for weight gradients.
void fast(const GemmShape& shape, const KernelCall& call) {
    const Tensor &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
    dispatch_float(a.type.dtype, [&]<class T>(T) {
        if (c.type.dtype == DTypeOf<T>::value)  // NOLINT(bugprone-branch-clone)
            call.cpu.gemm(shape, a.as<const T>(), b.as<const T>(), c.as<T>());
        else
            call.cpu.gemm(shape, a.as<const T>(), b.as<const T>(), c.as<accumulator_t<T>>());
    });
}

void reference(const GemmShape& shape, const KernelCall& call) {
    const Tensor &a = call.inputs[0], &b = call.inputs[1], &c = call.outputs[0];
    if (a.type.dtype == DType::kF64)
        gemm_reference(shape, a.as<const double>(), b.as<const double>(), c.as<double>());
    else
        gemm_reference(shape, a.as<const float>(), b.as<const float>(), c.as<float>());
}

}  // namespace

GemmShape Linear::shape(const KernelCall& call) const {
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    const int64_t in = x.columns(), out = y.columns();
    const bool panels = call.inputs[1].type.layout == MemoryLayout::kPanels;
    return {x.rows(),
            out,
            in,
            false,
            transposed_,
            in,
            panels ? panel_numbers(in) : (transposed_ ? in : out),
            out,
            call.accumulate[0] != 0,
            panels};
}

void Linear::run(const KernelCall& call) const {
    const GemmShape product = shape(call);
    if (product.m > kSkinnyRows) {
        fast(product, call);
        return;
    }
    const Tensor &x = call.inputs[0], &w = call.inputs[1], &y = call.outputs[0];
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        skinny_gemm(product, x.as<const T>(), w.as<const T>(), y.as<T>(),
                    reinterpret_cast<accumulator_t<T>*>(call.workspace.data()));
    });
}
void Linear::run_reference(const KernelCall& call) const {
    reference(shape(call), call);
}

void LinearBackwardInput::run(const KernelCall& call) const {
    GemmShape shape = input_shape(call);
    const Tensor &dy = call.inputs[0], &w = call.inputs[1];
    if (!copies_weight(dy.type, w.type)) {
        fast(shape, call);
        return;
    }
    auto* copy = reinterpret_cast<float*>(call.workspace.data());
    transpose(w.as<const float>(), shape.n, shape.k, copy);
    shape.b_transposed = false;
    shape.ldb = shape.n;
    call.cpu.gemm(shape, dy.as<const float>(), copy, call.outputs[0].as<float>());
}
void LinearBackwardInput::run_reference(const KernelCall& call) const {
    reference(input_shape(call), call);
}

void LinearBackwardWeight::run(const KernelCall& call) const {
    const GemmShape shape = weight_shape(call);
    if (!tells_norm_) {
        fast(shape, call);
        return;
    }
    auto* scratch = reinterpret_cast<double*>(call.workspace.data());
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        using A = accumulator_t<T>;
        tell_norm<A>(call, 0, scratch, [&] {
            return call.cpu.gemm_with_norm(shape, call.inputs[0].as<const T>(),
                                           call.inputs[1].as<const T>(), call.outputs[0].as<A>(),
                                           scratch);
        });
    });
}
void LinearBackwardWeight::run_reference(const KernelCall& call) const {
    const auto product = [&] { reference(weight_shape(call), call); };
    if (tells_norm_)
        tell_by_reference(call, 0, product);
    else
        product();
}

}  // namespace headroom
