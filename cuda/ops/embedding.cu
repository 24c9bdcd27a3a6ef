#include "core/ops/embedding.h"

#include <cmath>

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

/// A token outside the vocabulary gives NaN: the host has checked it before.
template <class T>
void embed(const Call& call) {
    using A = accumulator_t<T>;
    const int32_t* tokens = call.inputs[0].as<const int32_t>();
    const A* wte = call.inputs[1].as<const A>();
    const A* wpe = call.inputs.size() > 2 ? call.inputs[2].as<const A>() : nullptr;
    T* x = call.outputs[0].as<T>();
    const int64_t d = call.outputs[0].columns(), seq_len = call.inputs[0].type.shape[1];
    const int64_t vocab_size = call.inputs[1].type.shape[0];
    const StepContext* step = call.step;
    const int64_t most = wpe != nullptr ? call.inputs[2].type.shape[0] - 1 : 0;
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.outputs[0].count(), [=] __device__(int64_t i) {
        const int64_t row = i / d, column = i % d;
        const int64_t token = tokens[row];
        A value = token >= 0 && token < vocab_size ? wte[token * d + column] : static_cast<A>(NAN);
        if (wpe != nullptr) {
            // Rows of a decoding pass beyond the last token change nothing; keep them in the table.
            const int64_t place = step->position + row % seq_len;
            value += wpe[(place < most ? place : most) * d + column];
        }
        put(x[i], value, accumulate);
    });
}

/// A block for each place of a token: the first place of a token adds up all its places, in order.
template <class T>
void backward_tokens(const Call& call) {
    using A = accumulator_t<T>;
    const int32_t* tokens = call.inputs[0].as<const int32_t>();
    const T* dx = call.inputs[1].as<const T>();
    A* dwte = call.outputs[0].as<A>();
    const int64_t rows = call.inputs[0].count(), d = call.inputs[1].columns();
    const bool accumulate = call.accumulate[0] != 0;
    if (!accumulate)
        for_each(call.stream, call.outputs[0].count(),
                 [=] __device__(int64_t i) { dwte[i] = A(0); });
    for_rows(call.stream, rows, 128, [=] __device__(Block & block, int64_t row) {
        const int32_t token = tokens[row];
        int earlier = 0;
        for (int64_t n = block.thread(); n < row; n += block.threads())
            earlier |= tokens[n] == token ? 1 : 0;
        if (block.max(earlier) != 0) return;
        for (int64_t c = block.thread(); c < d; c += block.threads()) {
            double sum = 0;
            for (int64_t n = row; n < rows; ++n)
                if (tokens[n] == token) sum += static_cast<double>(static_cast<A>(dx[n * d + c]));
            put(dwte[token * d + c], sum, true);
        }
    });
}

template <class T>
void backward_positions(const Call& call) {
    using A = accumulator_t<T>;
    const T* dx = call.inputs[0].as<const T>();
    A* dwpe = call.outputs[0].as<A>();
    const int64_t d = call.outputs[0].columns(), batch = call.inputs[0].type.shape[0];
    const int64_t seq_len = call.inputs[0].type.shape[1];
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.outputs[0].count(), [=] __device__(int64_t i) {
        const int64_t t = i / d;
        double sum = 0;
        for (int64_t b = 0; t < seq_len && b < batch; ++b)
            sum += static_cast<double>(static_cast<A>(dx[(b * seq_len + t) * d + i % d]));
        put(dwpe[i], sum, accumulate);
    });
}

}  // namespace

Kernel embedding_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.outputs[0].type.dtype, [&]<class T>(T) { embed<T>(call); });
    };
}

Kernel embedding_backward_tokens_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[1].type.dtype, [&]<class T>(T) { backward_tokens<T>(call); });
    };
}

Kernel embedding_backward_positions_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { backward_positions<T>(call); });
    };
}

}  // namespace headroom::cuda
