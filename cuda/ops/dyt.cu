#include "core/ops/dyt.h"

#include <cmath>

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/column_sums.h"

namespace headroom::cuda {
namespace {

template <class T>
struct Forward {
    using A = accumulator_t<T>;
    const T* x;
    const A *gain, *shift, *alpha;
    T* y;
    int64_t columns;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t row, int64_t column) const {
        AlignedVector<A, W> values = load_wide<W>(x + row * columns + column);
        const AlignedVector<A, W> factors = load<W>(gain + column),
                                  shifts = load<W>(shift + column);
        const A slope = *alpha;
#pragma unroll
        for (int k = 0; k < W; ++k) values[k] = factors[k] * tanh(slope * values[k]) + shifts[k];
        put(y + row * columns + column, values, accumulate);
    }
};

template <class T>
void forward(const Call& call) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    const A *gain = call.inputs[1].as<const A>(), *shift = call.inputs[2].as<const A>();
    T* y = call.outputs[0].as<T>();
    const int64_t rows = call.inputs[0].rows(), columns = call.inputs[0].columns();
    for_row_packs<T>(call.stream, rows, columns, are_aligned(x, gain, shift, y),
                     Forward<T>{x, gain, shift, call.inputs[3].as<const A>(), y, columns,
                                call.accumulate[0] != 0});
}

/// One pack of columns in the rows of a slice: dx = α dz with dz = dy g (1 - t²), and the slice's
/// parts of dg, db and, summed over columns later, dα = sum of dz x. Null where nothing is wanted.
template <class T>
struct Backward {
    using A = accumulator_t<T>;
    const T* x;
    const A *gain, *alpha;
    const T* dy;
    T* dx;
    A* partial;  ///< a row for each slice: dg, db and dα, `columns` numbers each
    int64_t columns;
    RowSlices slices;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t slice, int64_t column) const {
        const A slope = *alpha;
        const AlignedVector<A, W> factors = load<W>(gain + column);
        AlignedVector<A, W> dgain{}, dshift{}, dalpha{};
#pragma unroll 2
        for (int64_t row = slice; row < slices.rows; row += slices.count) {
            const int64_t place = row * columns + column;
            const AlignedVector<A, W> values = load_wide<W>(x + place),
                                      gradients = load_wide<W>(dy + place);
            AlignedVector<A, W> change;
#pragma unroll
            for (int k = 0; k < W; ++k) {
                const A t = tanh(slope * values[k]);
                const A dz = gradients[k] * factors[k] * (A(1) - t * t);
                dgain[k] += gradients[k] * t;
                dshift[k] += gradients[k];
                dalpha[k] += dz * values[k];
                change[k] = slope * dz;
            }
            if (dx != nullptr) put(dx + place, change, accumulate);
        }
        if (partial == nullptr) return;
        A* sums = partial + slice * 3 * columns + column;
        put(sums, dgain, false);
        put(sums + columns, dshift, false);
        put(sums + 2 * columns, dalpha, false);
    }
};

/// How the sums are made: of slices, then of their columns for α.
template <class T>
struct Sums {
    using A = accumulator_t<T>;
    int64_t columns;
    RowSlices slices;

    explicit Sums(const TensorType& x)
        : columns(x.columns()), slices(x.rows(), std::max<int64_t>(1, columns / kFullPack<T>)) {}

    int64_t partial_count() const { return slices.count * 3 * columns; }
    /// The partial sums, then the sums of their columns.
    int64_t workspace_bytes() const {
        return (partial_count() * static_cast<int64_t>(sizeof(A)) + 7) / 8 * 8 + 3 * columns * 8;
    }
    double* totals(std::byte* workspace) const {
        return reinterpret_cast<double*>(workspace + workspace_bytes() - 3 * columns * 8);
    }
};

template <class T>
void finish_parameters(const Call& call, const Sums<T>& sums, size_t place) {
    using A = accumulator_t<T>;
    const int64_t columns = sums.columns;
    double* totals = sums.totals(call.workspace);
    sum_slices(call.stream, reinterpret_cast<const A*>(call.workspace), sums.slices.count,
               3 * columns, totals, false);
    A *dgain = call.outputs[place].as<A>(), *dshift = call.outputs[place + 1].as<A>();
    A* dalpha = call.outputs[place + 2].as<A>();
    const bool add_gain = call.accumulate[place] != 0, add_shift = call.accumulate[place + 1] != 0;
    const bool add_alpha = call.accumulate[place + 2] != 0;
    for_rows(call.stream, 1, 256, [=] __device__(Block & block, int64_t) {
        double sum = 0;
        for (int64_t c = block.thread(); c < columns; c += block.threads()) {
            put(dgain[c], totals[c], add_gain);
            put(dshift[c], totals[columns + c], add_shift);
            sum += totals[2 * columns + c];
        }
        sum = block.sum(sum);
        if (block.thread() == 0) put(*dalpha, sum, add_alpha);
    });
}

template <class T>
void backward(const Call& call, DyTTargets targets) {
    using A = accumulator_t<T>;
    const Sums<T> sums(call.inputs[0].type);
    Backward<T> body{.x = call.inputs[0].as<const T>(),
                     .gain = call.inputs[1].as<const A>(),
                     .alpha = call.inputs[2].as<const A>(),
                     .dy = call.inputs[3].as<const T>(),
                     .dx = targets.input ? call.outputs[0].as<T>() : nullptr,
                     .partial = targets.parameters ? reinterpret_cast<A*>(call.workspace) : nullptr,
                     .columns = sums.columns,
                     .slices = sums.slices,
                     .accumulate = targets.input && call.accumulate[0] != 0};
    for_row_packs<T>(call.stream, sums.slices.count, sums.columns,
                     are_aligned(body.x, body.gain, body.dy, body.dx, body.partial), body);
    if (targets.parameters) finish_parameters<T>(call, sums, targets.input ? 1 : 0);
}

}  // namespace

static Kernel dyt_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { forward<T>(call); });
    };
}

static Kernel dyt_backward_kernel(const Op& op, Types inputs) {
    const DyTTargets targets = dynamic_cast<const DyTBackward&>(op).targets();
    int64_t bytes = 0;
    if (targets.parameters)
        dispatch_float(inputs[0].dtype,
                       [&]<class T>(T) { bytes = Sums<T>(inputs[0]).workspace_bytes(); });
    return {[targets](const Call& call) {
                dispatch_float(call.inputs[0].type.dtype,
                               [&]<class T>(T) { backward<T>(call, targets); });
            },
            bytes};
}

const RegisteredKernel kDytKernels[] = {{"dyt", dyt_kernel}, {"dyt_backward", dyt_backward_kernel}};

}  // namespace headroom::cuda
