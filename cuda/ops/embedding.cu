#include "core/ops/embedding.h"

#include <cmath>
#include <optional>

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/run_sums.h"
#include "cuda/primitives/token_sort.h"

namespace headroom::cuda {
namespace {

/// A token outside the vocabulary gives NaN: the host has checked it before.
template <class T>
struct Embed {
    using A = accumulator_t<T>;
    const int32_t* tokens;
    const A *wte, *wpe;  ///< wpe may be null
    const StepContext* step;
    T* x;
    int64_t columns, vocab_size, seq_len, positions;
    Divider by_seq_len;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t row, int64_t column) const {
        const int64_t token = tokens[row];
        AlignedVector<A, W> values;
        if (token >= 0 && token < vocab_size)
            values = load<W>(wte + token * columns + column);
        else
            for (int k = 0; k < W; ++k) values[k] = static_cast<A>(NAN);
        if (wpe != nullptr) {
            // Rows of a decoding pass beyond the last token change nothing; keep them in the table.
            const int64_t place = step->position + row - by_seq_len(row) * seq_len;
            const int64_t most = positions - 1;
            const AlignedVector<A, W> more =
                load<W>(wpe + (place < most ? place : most) * columns + column);
#pragma unroll
            for (int k = 0; k < W; ++k) values[k] += more[k];
        }
        put(x + row * columns + column, values, accumulate);
    }
};

template <class T>
void embed(const Call& call) {
    using A = accumulator_t<T>;
    const bool placed = call.inputs.size() > 2;
    const int64_t seq_len = call.inputs[0].type.shape[1];
    const Embed<T> body{.tokens = call.inputs[0].as<const int32_t>(),
                        .wte = call.inputs[1].as<const A>(),
                        .wpe = placed ? call.inputs[2].as<const A>() : nullptr,
                        .step = call.step,
                        .x = call.outputs[0].as<T>(),
                        .columns = call.outputs[0].columns(),
                        .vocab_size = call.inputs[1].type.shape[0],
                        .seq_len = seq_len,
                        .positions = placed ? call.inputs[2].type.shape[0] : 0,
                        .by_seq_len = Divider(seq_len),
                        .accumulate = call.accumulate[0] != 0};
    for_row_packs<T>(call.stream, call.outputs[0].rows(), body.columns,
                     are_aligned(body.wte, body.wpe, body.x), body);
}

template <class A>
struct Clear {
    A* y;

    template <int W>
    __device__ void at(int64_t first) const {
        put(y + first, AlignedVector<A, W>{}, false);
    }
};

/// Tokens are sorted, so that the rows of a token lie behind one another and are added up in the
/// order of the batch.
template <class T>
struct TokenGradient {
    TokenSort sort;
    RunSums<T> sums;

    explicit TokenGradient(Types inputs, int64_t vocab_size)
        : sort(inputs[0].count(), vocab_size), sums(inputs[0].count(), inputs[1].columns()) {}

    int64_t sort_bytes() const { return (sort.workspace_bytes() + 63) / 64 * 64; }
    int64_t workspace_bytes() const { return sort_bytes() + sums.workspace_bytes(); }

    void run(const Call& call) const {
        using A = accumulator_t<T>;
        A* dwte = call.outputs[0].as<A>();
        if (call.accumulate[0] == 0)
            for_packs<A>(call.stream, call.outputs[0].count(), are_aligned(dwte), Clear<A>{dwte});
        const SortedTokens sorted =
            sort.run(call.stream, call.inputs[0].as<const int32_t>(), call.workspace);
        sums.run(call.stream, call.inputs[1].as<const T>(), sorted.tokens, sorted.places,
                 call.workspace + sort_bytes(), dwte);
    }
};

/// dwpe[t]: the rows of position t, in the order of the batch.
template <class T>
struct PositionGradient {
    using A = accumulator_t<T>;
    const T* dx;
    A* dwpe;
    int64_t columns, batch_size, seq_len;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t position, int64_t column) const {
        AlignedVector<double, W> sum{};
        const int64_t rows = position < seq_len ? batch_size : 0;
#pragma unroll 4
        for (int64_t b = 0; b < rows; ++b) {
            const AlignedVector<A, W> values =
                load_wide<W>(dx + (b * seq_len + position) * columns + column);
#pragma unroll
            for (int k = 0; k < W; ++k) sum[k] += static_cast<double>(values[k]);
        }
        put(dwpe + position * columns + column, sum, accumulate);
    }
};

template <class T>
void backward_positions(const Call& call) {
    using A = accumulator_t<T>;
    const T* dx = call.inputs[0].as<const T>();
    A* dwpe = call.outputs[0].as<A>();
    const Shape& shape = call.inputs[0].type.shape;
    const int64_t columns = call.outputs[0].columns();
    for_row_packs<T>(
        call.stream, call.outputs[0].rows(), columns, are_aligned(dx, dwpe),
        PositionGradient<T>{dx, dwpe, columns, shape[0], shape[1], call.accumulate[0] != 0});
}

}  // namespace

static Kernel embedding_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.outputs[0].type.dtype, [&]<class T>(T) { embed<T>(call); });
    };
}

static Kernel embedding_backward_tokens_kernel(const Op& op, Types inputs) {
    const int64_t vocab_size = op.infer(inputs)[0].shape[0];
    std::optional<Kernel> kernel;
    dispatch_float(inputs[1].dtype, [&]<class T>(T) {
        const TokenGradient<T> gradient(inputs, vocab_size);
        kernel = Kernel([gradient](const Call& call) { gradient.run(call); },
                        gradient.workspace_bytes());
    });
    return *kernel;
}

static Kernel embedding_backward_positions_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { backward_positions<T>(call); });
    };
}

const RegisteredKernel kEmbeddingKernels[] = {
    {"embedding", embedding_kernel},
    {"embedding_backward_tokens", embedding_backward_tokens_kernel},
    {"embedding_backward_positions", embedding_backward_positions_kernel}};

}  // namespace headroom::cuda
