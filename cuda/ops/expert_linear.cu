#include "core/ops/expert_linear.h"

#include <algorithm>
#include <initializer_list>
#include <type_traits>

#include "core/ops/dispatch.h"
#include "core/ops/route.h"
#include "cuda/gemm/tensor_tile.h"
#include "cuda/kernels.h"
#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/number.h"
#include "cuda/primitives/row_target.h"

// How many rows an expert has is known on the device alone, so that the launches are those of the
// most there can be: blocks that find no rows end at once. Products of bfloat16 whose rows are
// whole packs of 16 bytes are on tensor cores, in tiles of 128 x 128, the others in tiles of 64
// x 64.

namespace headroom::cuda {
namespace {

/// One tensor of each expert.
template <class T>
struct ExpertTensors {
    T* at[kMostRouted];

    ExpertTensors(std::span<const Tensor> tensors) {
        CHECK(tensors.size() <= kMostRouted, "a kernel's arguments hold so many experts");
        for (size_t e = 0; e < tensors.size(); ++e) at[e] = tensors[e].as<T>();
    }
};

/// A matrix in memory, by the distances of its rows and columns.
template <class T>
struct Strided {
    const T* first;
    int64_t row, column;
};

/// C = A B by a block: 64 x 64 numbers of C by 256 threads, 16 of each row of A at a time.
template <class T>
struct TileProduct {
    using A = accumulator_t<T>;
    static constexpr int kTile = 64, kDepth = 16, kThreads = 256, kEach = 4;
    static constexpr int kStride = kTile + 4;  ///< from row to row of a tile
    static constexpr uint32_t kBehind = kDepth * kStride * sizeof(A);
    static constexpr int64_t kShared = 2 * int64_t{kBehind};

    Strided<T> a, b;
    int64_t m, n, k;  ///< of what is there from the tile's corner on

    __device__ static uint32_t place(int depth, int index) {
        return static_cast<uint32_t>((depth * kStride + index) * static_cast<int>(sizeof(A)));
    }

    /// One tile of a factor: numbers beyond its end are zero. Neighbouring threads read
    /// neighbouring numbers.
    __device__ void fetch(const BlockThread& t, const Strided<T>& from, int64_t count,
                          int64_t first, bool along_depth, uint32_t to) const {
        for (int i = t.thread(); i < kTile * kDepth; i += kThreads) {
            const int depth = along_depth ? i % kDepth : i / kTile;
            const int index = along_depth ? i / kDepth : i % kTile;
            const bool there = index < count && first + depth < k;
            const A value =
                there ? static_cast<A>(from.first[index * from.row + (first + depth) * from.column])
                      : A(0);
            t.store(to + place(depth, index), value);
        }
    }

    /// Calls put_number(row, column, sum) for the numbers of this thread.
    template <class Put>
    __device__ void run(const BlockThread& t, Put put_number) const {
        A sums[kEach][kEach] = {};
        const int row = t.thread() / 16 * kEach, column = t.thread() % 16 * kEach;
        for (int64_t first = 0; first < k; first += kDepth) {
            fetch(t, a, m, first, a.column == 1, 0);
            fetch(t, b, n, first, b.column == 1, kBehind);
            t.sync();
            for (int depth = 0; depth < kDepth; ++depth) {
                A left[kEach], right[kEach];
                for (int i = 0; i < kEach; ++i) left[i] = t.load<A>(place(depth, row + i));
                for (int i = 0; i < kEach; ++i)
                    right[i] = t.load<A>(kBehind + place(depth, column + i));
                for (int i = 0; i < kEach; ++i)
                    for (int j = 0; j < kEach; ++j) sums[i][j] += left[i] * right[j];
            }
            t.sync();
        }
        for (int i = 0; i < kEach; ++i)
            for (int j = 0; j < kEach; ++j)
                if (row + i < m && column + j < n) put_number(row + i, column + j, sums[i][j]);
    }
};

/// Rows of an expert that one block computes.
struct RowTile {
    int64_t expert = -1, first = 0, count = 0;
};

/// Tile number `tile` of the rows, cut expert by expert; none (expert -1) behind the last.
__device__ inline RowTile find_tile(const int32_t* offsets, int64_t experts, int64_t tile,
                                    int64_t size) {
    for (int64_t e = 0; e < experts; ++e) {
        const int64_t count = offsets[e + 1] - offsets[e], tiles = (count + size - 1) / size;
        if (tile < tiles) {
            const int64_t first = tile * size, left = count - first;
            return {e, offsets[e] + first, left < size ? left : size};
        }
        tile -= tiles;
    }
    return {};
}

/// y = x W_e, or x W_e^T, of the rows of a tile.
template <class T>
struct MultiplyRows {
    using Product = TileProduct<T>;
    const T* x;
    const int32_t* offsets;
    T* y;
    int64_t experts, in, out;
    bool transposed, accumulate;
    ExpertTensors<const T> weights;

    __device__ void operator()(const BlockThread& t) const {
        const RowTile tile = find_tile(offsets, experts, t.block_x(), Product::kTile);
        if (tile.expert < 0) return;
        const int64_t column = t.block_y() * int64_t{Product::kTile};
        const T* w = weights.at[tile.expert];
        const Strided<T> right =
            transposed ? Strided<T>{w + column * in, in, 1} : Strided<T>{w + column, 1, out};
        const Product product{{x + tile.first * in, in, 1}, right, tile.count, out - column, in};
        T* to = y + tile.first * out + column;
        product.run(t, [&](int64_t i, int64_t j, accumulator_t<T> sum) {
            put(to[i * out + j], sum, accumulate);
        });
    }
};

/// dW_e = x^T dy over the rows of an expert.
template <class T>
struct MultiplyColumns {
    using Product = TileProduct<T>;
    const T *x, *dy;
    const int32_t* offsets;
    int64_t in, out;
    ExpertTensors<accumulator_t<T>> gradients;
    bool accumulate[kMostRouted];

    __device__ void operator()(const BlockThread& t) const {
        const int64_t expert = t.block_z(), begin = offsets[expert];
        const int64_t row = t.block_x() * int64_t{Product::kTile};
        const int64_t column = t.block_y() * int64_t{Product::kTile};
        const Product product{{x + begin * in + row, 1, in},
                              {dy + begin * out + column, 1, out},
                              in - row,
                              out - column,
                              offsets[expert + 1] - begin};
        accumulator_t<T>* to = gradients.at[expert] + row * out + column;
        const bool adds = accumulate[expert];
        product.run(t, [&](int64_t i, int64_t j, accumulator_t<T> sum) {
            put(to[i * out + j], sum, adds);
        });
    }
};

/// The same on tensor cores.
template <bool kTransposed>
struct MultiplyRowsByTensors {
    using Tile = TensorTile<Along::kDepth, kTransposed ? Along::kDepth : Along::kIndex>;
    const bf16* x;
    const int32_t* offsets;
    bf16* y;
    int experts, in, out;
    bool accumulate;
    ExpertTensors<const bf16> weights;

    __device__ void operator()(const BlockThread& t) const {
        const RowTile tile = find_tile(offsets, experts, t.block_x(), Tile::kRows);
        if (tile.expert < 0) return;
        const int column = t.block_y() * Tile::kColumns, rows = static_cast<int>(tile.count);
        const int columns = out - column;
        const bf16* w = weights.at[tile.expert];
        const TensorFactor right = kTransposed
                                       ? TensorFactor{w + int64_t{column} * in, in, columns, in}
                                       : TensorFactor{w + column, out, in, columns};
        const RowTarget to{y + tile.first * out + column, out, rows, columns, accumulate};
        Tile{{x + tile.first * in, in, rows, in}, right, in}.run(
            t, [&](int i, int j, float low, float high) { to.put_pair(i, j, low, high); });
    }
};

struct MultiplyColumnsByTensors {
    using Tile = TensorTile<Along::kIndex, Along::kIndex>;
    const bf16 *x, *dy;
    const int32_t* offsets;
    int in, out;
    ExpertTensors<float> gradients;
    bool accumulate[kMostRouted];

    __device__ void operator()(const BlockThread& t) const {
        const int expert = t.block_z(), begin = offsets[expert];
        const int rows = offsets[expert + 1] - begin;
        const int row = t.block_x() * Tile::kRows, column = t.block_y() * Tile::kColumns;
        float* to = gradients.at[expert] + int64_t{row} * out + column;
        const bool adds = accumulate[expert];
        Tile{{x + int64_t{begin} * in + row, in, rows, in - row},
             {dy + int64_t{begin} * out + column, out, rows, out - column},
             rows}
            .run(t, [&](int i, int j, float low, float high) {
                if (row + i >= in || column + j >= out) return;
                float* place = to + int64_t{i} * out + j;
                put(place[0], low, adds);
                put(place[1], high, adds);
            });
    }
};

int64_t tiles_of(int64_t count, int64_t size) {
    return (count + size - 1) / size;
}

/// Whether rows of so many bfloat16 numbers are whole packs, at addresses fit for that.
bool suits_tensors(std::initializer_list<int64_t> widths, std::span<const Tensor> tensors) {
    const auto is_whole = [](int64_t width) { return width % kFullPack<bf16> == 0; };
    return std::all_of(widths.begin(), widths.end(), is_whole) &&
           std::all_of(tensors.begin(), tensors.end(),
                       [](const Tensor& tensor) { return are_aligned(tensor.data); });
}

template <bool kTransposed>
void multiply_rows_by_tensors(const Call& call) {
    using Body = MultiplyRowsByTensors<kTransposed>;
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    const int64_t experts = call.inputs[1].count() - 1, out = y.columns();
    const Body body{x.as<const bf16>(),
                    call.inputs[1].as<const int32_t>(),
                    y.as<bf16>(),
                    static_cast<int>(experts),
                    static_cast<int>(x.columns()),
                    static_cast<int>(out),
                    call.accumulate[0] != 0,
                    ExpertTensors<const bf16>(call.inputs.subspan(2))};
    for_blocks<Body::Tile::kThreads>(
        call.stream,
        {tiles_of(x.rows(), Body::Tile::kRows) + experts, tiles_of(out, Body::Tile::kColumns)},
        Body::Tile::kSharedBytes, body);
}

void multiply_columns_by_tensors(const Call& call) {
    using Body = MultiplyColumnsByTensors;
    const Tensor &x = call.inputs[0], &dy = call.inputs[1];
    const int64_t experts = call.inputs[2].count() - 1;
    Body body{x.as<const bf16>(),
              dy.as<const bf16>(),
              call.inputs[2].as<const int32_t>(),
              static_cast<int>(x.columns()),
              static_cast<int>(dy.columns()),
              ExpertTensors<float>(call.outputs),
              {}};
    for (int64_t e = 0; e < experts; ++e)
        body.accumulate[e] = call.accumulate[static_cast<size_t>(e)] != 0;
    for_blocks<Body::Tile::kThreads>(call.stream,
                                     {tiles_of(x.columns(), Body::Tile::kRows),
                                      tiles_of(dy.columns(), Body::Tile::kColumns), experts},
                                     Body::Tile::kSharedBytes, body);
}

template <class T>
void multiply_rows_by_threads(const Call& call, bool transposed) {
    using Product = TileProduct<T>;
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    const auto* offsets = call.inputs[1].as<const int32_t>();
    const int64_t experts = call.inputs[1].count() - 1;
    const int64_t rows = x.rows(), out = y.columns();
    const bool adds = call.accumulate[0] != 0;
    const MultiplyRows<T> body{
        x.as<const T>(), offsets,     y.as<T>(),
        experts,         x.columns(), out,
        transposed,      adds,        ExpertTensors<const T>(call.inputs.subspan(2))};
    for_blocks<Product::kThreads>(
        call.stream, {tiles_of(rows, Product::kTile) + experts, tiles_of(out, Product::kTile), 1},
        Product::kShared, body);
}

template <class T>
void multiply_rows(const Call& call, bool transposed) {
    const Tensor &x = call.inputs[0], &y = call.outputs[0];
    const int64_t out = y.columns(), experts = call.inputs[1].count() - 1;
    const bool tensors = std::is_same_v<T, bf16> && suits_tensors({x.columns(), out}, {&x, 1}) &&
                         suits_tensors({}, call.inputs.subspan(2)) && are_aligned(y.data);
    if (!tensors)
        multiply_rows_by_threads<T>(call, transposed);
    else if (transposed)
        multiply_rows_by_tensors<true>(call);
    else
        multiply_rows_by_tensors<false>(call);
    if (call.accumulate[0] != 0) return;
    // Zeros behind the last expert's rows.
    const auto* offsets = call.inputs[1].as<const int32_t>();
    T* to = y.as<T>();
    for_rows(call.stream, x.rows(), 32, [=] __device__(Block & b, int64_t row) {
        if (row < offsets[experts]) return;
        for (int64_t c = b.thread(); c < out; c += b.threads()) to[row * out + c] = T{};
    });
}

template <class T>
void multiply_columns(const Call& call) {
    using Product = TileProduct<T>;
    const Tensor &x = call.inputs[0], &dy = call.inputs[1];
    if (std::is_same_v<T, bf16> && suits_tensors({x.columns(), dy.columns()}, call.inputs.first(2)))
        return multiply_columns_by_tensors(call);
    const int64_t experts = call.inputs[2].count() - 1;
    MultiplyColumns<T> body{x.as<const T>(),
                            dy.as<const T>(),
                            call.inputs[2].as<const int32_t>(),
                            x.columns(),
                            dy.columns(),
                            ExpertTensors<accumulator_t<T>>(call.outputs),
                            {}};
    for (int64_t e = 0; e < experts; ++e)
        body.accumulate[e] = call.accumulate[static_cast<size_t>(e)] != 0;
    for_blocks<Product::kThreads>(
        call.stream,
        {tiles_of(x.columns(), Product::kTile), tiles_of(dy.columns(), Product::kTile), experts},
        Product::kShared, body);
}

/// Each row plus its expert's bias.
template <class T>
struct AddBiasRow {
    using A = accumulator_t<T>;
    const T* x;
    const int32_t* offsets;
    T* y;
    int64_t experts, columns;
    bool accumulate;
    ExpertTensors<const A> biases;

    __device__ void operator()(Block& b, int64_t row) const {
        const A* bias = nullptr;
        for (int64_t e = 0; e < experts; ++e)
            if (row >= offsets[e] && row < offsets[e + 1]) bias = biases.at[e];
        for (int64_t c = b.thread(); c < columns; c += b.threads()) {
            const A shift = bias == nullptr ? A(0) : bias[c];
            put(y[row * columns + c], static_cast<A>(x[row * columns + c]) + shift, accumulate);
        }
    }
};

template <class T>
void add_expert_biases(const Call& call) {
    using A = accumulator_t<T>;
    const Tensor& x = call.inputs[0];
    for_rows(
        call.stream, x.rows(), 128,
        AddBiasRow<T>{x.as<const T>(), call.inputs[1].as<const int32_t>(), call.outputs[0].as<T>(),
                      call.inputs[1].count() - 1, x.columns(), call.accumulate[0] != 0,
                      ExpertTensors<const A>(call.inputs.subspan(2))});
}

/// A block for a column of an expert's bias.
template <class T>
struct SumBiasColumn {
    using A = accumulator_t<T>;
    const T* dy;
    const int32_t* offsets;
    int64_t columns;
    ExpertTensors<A> gradients;
    bool accumulate[kMostRouted];

    __device__ void operator()(Block& b, int64_t index) const {
        const int64_t expert = index / columns, column = index % columns;
        double sum = 0;
        for (int64_t r = offsets[expert] + b.thread(); r < offsets[expert + 1]; r += b.threads())
            sum += static_cast<double>(static_cast<A>(dy[r * columns + column]));
        sum = b.sum(sum);
        if (b.thread() == 0) put(gradients.at[expert][column], sum, accumulate[expert]);
    }
};

template <class T>
void sum_expert_biases(const Call& call) {
    using A = accumulator_t<T>;
    const Tensor& dy = call.inputs[0];
    const int64_t experts = call.inputs[1].count() - 1;
    SumBiasColumn<T> body{dy.as<const T>(),
                          call.inputs[1].as<const int32_t>(),
                          dy.columns(),
                          ExpertTensors<A>(call.outputs),
                          {}};
    for (int64_t e = 0; e < experts; ++e)
        body.accumulate[e] = call.accumulate[static_cast<size_t>(e)] != 0;
    for_rows(call.stream, experts * dy.columns(), 64, body);
}

}  // namespace

static Kernel expert_linear_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { multiply_rows<T>(call, false); });
    };
}

static Kernel expert_linear_backward_input_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { multiply_rows<T>(call, true); });
    };
}

static Kernel expert_linear_backward_weight_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { multiply_columns<T>(call); });
    };
}

static Kernel expert_bias_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { add_expert_biases<T>(call); });
    };
}

static Kernel expert_bias_backward_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { sum_expert_biases<T>(call); });
    };
}

const RegisteredKernel kExpertLinearKernels[] = {
    {"expert_linear", expert_linear_kernel},
    {"expert_linear_backward_input", expert_linear_backward_input_kernel},
    {"expert_linear_backward_weight", expert_linear_backward_weight_kernel},
    {"expert_bias", expert_bias_kernel},
    {"expert_bias_backward", expert_bias_backward_kernel}};

}  // namespace headroom::cuda
