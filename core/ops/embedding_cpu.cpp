#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/cpu/parallel.h"
#include "core/ops/dispatch.h"
#include "core/ops/embedding.h"
#include "core/ops/told_norm.h"

namespace headroom {
namespace {

constexpr int64_t kRowGrain = 64, kColumnGrain = 64;

int64_t column_blocks(int64_t width) {
    return (width + kColumnGrain - 1) / kColumnGrain;
}

void check_tokens(const Tensor& tokens, int64_t vocab_size) {
    const auto* token = tokens.as<const int32_t>();
    for (int64_t i = 0; i < tokens.count(); ++i)
        if (token[i] < 0 || token[i] >= vocab_size)
            throw UserError(
                fmt::format("token {} is outside the vocabulary of {}", token[i], vocab_size),
                "set model.vocab_size to the size of the tokenizer's vocabulary");
}

/// Row of the position table for row t of a pass. Rows without a token may lie beyond its end.
int64_t position_of(const KernelCall& call, int64_t t) {
    if (call.inputs.size() < 3) return 0;
    return std::min(call.step.position + t, call.inputs[2].type.shape[0] - 1);
}

template <class T>
void forward(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor &tokens = call.inputs[0], &wte = call.inputs[1], &x = call.outputs[0];
    const int64_t seq_len = tokens.columns(), width = wte.columns();
    const A* wpe = call.inputs.size() == 3 ? call.inputs[2].as<const A>() : nullptr;
    const bool accumulate = call.accumulate[0] != 0;
    parallel_for(tokens.count(), kRowGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const A* e = wte.as<const A>() + tokens.as<const int32_t>()[row] * width;
            const int64_t position = position_of(call, row % seq_len);
            const A* p = wpe == nullptr ? nullptr : wpe + position * width;
            T* y = x.as<T>() + row * width;
            if (accumulate) {
                for (int64_t c = 0; c < width; ++c)
                    y[c] = static_cast<A>(y[c]) + (p == nullptr ? e[c] : e[c] + p[c]);
            } else if (p == nullptr) {  // NOLINT(bugprone-branch-clone)
#pragma omp simd
                for (int64_t c = 0; c < width; ++c) y[c] = e[c];
            } else {
#pragma omp simd
                for (int64_t c = 0; c < width; ++c) y[c] = e[c] + p[c];
            }
        }
    });
}

/// to += from, `count` numbers. Returns by how much the squared norm of `to` grew.
template <class T, class A>
double add_and_measure(const T* from, int64_t count, A* to) {
    double growth = 0;
#pragma omp simd reduction(+ : growth)
    for (int64_t c = 0; c < count; ++c) {
        const A old = to[c], sum = old + static_cast<A>(from[c]);
        to[c] = sum;
        const auto before = static_cast<double>(old), after = static_cast<double>(sum);
        growth += (after - before) * (after + before);
    }
    return growth;
}

/// Every thread walks over all tokens and adds its own columns: no two write the same place, and
/// the order of a row's sum is the order of its tokens. `growths`: by how much the squared norm of
/// each block of columns grew; null if nobody asks.
template <class T>
void backward_tokens(const KernelCall& call, double* growths) {
    using A = accumulator_t<T>;
    const Tensor &tokens = call.inputs[0], &dx = call.inputs[1], &dwte = call.outputs[0];
    const int64_t width = dx.columns();
    const auto* token = tokens.as<const int32_t>();
    if (call.accumulate[0] == 0) std::fill_n(dwte.as<A>(), dwte.count(), A{0});
    parallel_for(column_blocks(width), 1, [&](int64_t first, int64_t last) {
        const int64_t begin = first * kColumnGrain, end = std::min(width, last * kColumnGrain);
        if (growths != nullptr) std::fill(growths + first, growths + last, 0.0);
        for (int64_t row = 0; row < tokens.count(); ++row) {
            const T* from = dx.as<const T>() + row * width;
            A* to = dwte.as<A>() + token[row] * width;
            if (growths == nullptr) {
                for (int64_t c = begin; c < end; ++c) to[c] += static_cast<A>(from[c]);
                continue;
            }
            for (int64_t block = first; block < last; ++block) {
                const int64_t c = block * kColumnGrain;
                growths[block] +=
                    add_and_measure(from + c, std::min(kColumnGrain, width - c), to + c);
            }
        }
    });
}

template <class T>
void backward_positions(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor &dx = call.inputs[0], &dwpe = call.outputs[0];
    const int64_t batch = dx.type.shape[0], seq_len = dx.type.shape[1], width = dx.columns();
    if (call.accumulate[0] == 0) std::fill_n(dwpe.as<A>(), dwpe.count(), A{0});
    parallel_for(seq_len, 16, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; ++t)
            for (int64_t b = 0; b < batch; ++b) {
                const T* from = dx.as<const T>() + (b * seq_len + t) * width;
                A* to = dwpe.as<A>() + t * width;
                for (int64_t c = 0; c < width; ++c) to[c] += static_cast<A>(from[c]);
            }
    });
}

}  // namespace

void Embedding::run(const KernelCall& call) const {
    check_tokens(call.inputs[0], call.inputs[1].type.shape[0]);
    dispatch_float(out_, [&]<class T>(T) { forward<T>(call); });
}
/// Element by element, straight from the definition.
void Embedding::run_reference(const KernelCall& call) const {
    const Tensor &tokens = call.inputs[0], &wte = call.inputs[1], &x = call.outputs[0];
    const int64_t seq_len = tokens.columns(), width = wte.columns();
    dispatch_float(out_, [&]<class T>(T) {
        using A = accumulator_t<T>;
        for (int64_t i = 0; i < x.count(); ++i) {
            const int64_t row = i / width, c = i % width;
            A value = wte.as<const A>()[tokens.as<const int32_t>()[row] * width + c];
            if (call.inputs.size() == 3)
                value += call.inputs[2].as<const A>()[position_of(call, row % seq_len) * width + c];
            store(x.as<T>()[i], value, call.accumulate[0] != 0);
        }
    });
}

int64_t EmbeddingBackwardTokens::workspace_bytes(std::span<const TensorType> in, int) const {
    if (!tells_norm_) return 0;
    return column_blocks(in[1].columns()) * static_cast<int64_t>(sizeof(double));
}
void EmbeddingBackwardTokens::run(const KernelCall& call) const {
    auto* growths = tells_norm_ ? reinterpret_cast<double*>(call.workspace.data()) : nullptr;
    dispatch_float(call.inputs[1].type.dtype,
                   [&]<class T>(T) { backward_tokens<T>(call, growths); });
    if (tells_norm_)
        tell_growth(
            call, std::accumulate(growths, growths + column_blocks(call.inputs[1].columns()), 0.0));
}
void EmbeddingBackwardTokens::run_reference(const KernelCall& call) const {
    if (tells_norm_) {
        tell_by_reference(call, 0,
                          [&] { EmbeddingBackwardTokens(vocab_size_).run_reference(call); });
        return;
    }
    const Tensor &tokens = call.inputs[0], &dx = call.inputs[1], &dwte = call.outputs[0];
    const int64_t width = dx.columns();
    dispatch_float(dx.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < dwte.count(); ++i) {
            double sum = 0;
            for (int64_t row = 0; row < tokens.count(); ++row)
                if (tokens.as<const int32_t>()[row] == i / width)
                    sum += static_cast<double>(dx.as<const T>()[row * width + i % width]);
            store(dwte.as<accumulator_t<T>>()[i], sum, call.accumulate[0] != 0);
        }
    });
}

void EmbeddingBackwardPositions::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { backward_positions<T>(call); });
}
void EmbeddingBackwardPositions::run_reference(const KernelCall& call) const {
    const Tensor &dx = call.inputs[0], &dwpe = call.outputs[0];
    const int64_t batch = dx.type.shape[0], seq_len = dx.type.shape[1], width = dx.columns();
    dispatch_float(dx.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < dwpe.count(); ++i) {
            const int64_t t = i / width, c = i % width;
            double sum = 0;
            for (int64_t b = 0; t < seq_len && b < batch; ++b)
                sum += static_cast<double>(dx.as<const T>()[(b * seq_len + t) * width + c]);
            store(dwpe.as<accumulator_t<T>>()[i], sum, call.accumulate[0] != 0);
        }
    });
}

}  // namespace headroom
