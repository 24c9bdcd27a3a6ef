#include <algorithm>

#include "core/cpu/parallel.h"
#include "core/ops/column_mix.h"
#include "core/ops/column_sums.h"
#include "core/ops/dispatch.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

constexpr int64_t kRowGrain = 16;
constexpr int64_t kChunk = 256;  ///< columns that are summed at a time

int64_t term_count(const std::vector<MixPiece>& pieces) {
    int64_t count = 0;
    for (const MixPiece& piece : pieces) count += static_cast<int64_t>(piece.terms.size());
    return count;
}

int64_t sum_bytes(DType dtype, int64_t count) {
    return count * static_cast<int64_t>(size_of(accumulator_of(dtype)));
}

/// One coefficient for each term, in their order.
template <class A>
void coefficients(const std::vector<MixPiece>& pieces, std::span<const Tensor> weights, A* to) {
    for (const MixPiece& piece : pieces)
        for (const MixTerm& term : piece.terms) {
            *to = static_cast<A>(term.constant);
            if (term.weights >= 0)
                *to += static_cast<A>(term.slope) *
                       weights[static_cast<size_t>(term.weights)].as<const A>()[term.element];
            ++to;
        }
}

/// Columns [from, from + width) of a piece in one row. `factors`: of the piece's terms.
template <class T, class A>
void mix_chunk(const MixPiece& piece, const A* factors, std::span<const Tensor> data, int64_t row,
               int64_t from, int64_t width, bool accumulate, T* y) {
    if (piece.terms.size() == 1 && !accumulate) {
        const MixTerm& term = piece.terms[0];
        const Tensor& input = data[static_cast<size_t>(term.input)];
        const T* x = input.as<const T>() + row * input.columns() + term.first + from;
        const A factor = factors[0];
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) y[c] = factor * static_cast<A>(x[c]);
        return;
    }
    A sums[kChunk];
    std::fill_n(sums, width, A{0});
    for (size_t n = 0; n < piece.terms.size(); ++n) {
        const MixTerm& term = piece.terms[n];
        const Tensor& input = data[static_cast<size_t>(term.input)];
        const T* x = input.as<const T>() + row * input.columns() + term.first + from;
        const A factor = factors[n];
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) sums[c] += factor * static_cast<A>(x[c]);
    }
    if (accumulate) {  // NOLINT(bugprone-branch-clone)
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) y[c] = static_cast<A>(y[c]) + sums[c];
    } else {
#pragma omp simd
        for (int64_t c = 0; c < width; ++c) y[c] = sums[c];
    }
}

/// out = the mix of `data`. `factors` has room for term_count(pieces).
template <class T>
void mix(const std::vector<MixPiece>& pieces, std::span<const Tensor> data,
         std::span<const Tensor> weights, accumulator_t<T>* factors, const Tensor& out,
         bool accumulate) {
    coefficients(pieces, weights, factors);
    const int64_t columns = out.columns();
    parallel_for(out.rows(), kRowGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            T* y = out.as<T>() + row * columns;
            const accumulator_t<T>* factor = factors;
            for (const MixPiece& piece : pieces) {
                for (int64_t from = 0; from < piece.width; from += kChunk)
                    mix_chunk(piece, factor, data, row, from, std::min(kChunk, piece.width - from),
                              accumulate, y + from);
                y += piece.width;
                factor += piece.terms.size();
            }
        }
    });
}

int64_t weight_total(const std::vector<Shape>& shapes) {
    int64_t total = 0;
    for (const Shape& shape : shapes) total += count_of(shape);
    return total;
}

/// Where the sums of weight input `weights` begin among those of all targets, or -1.
int64_t target_offset(int weights, const std::vector<int>& targets,
                      const std::vector<Shape>& shapes) {
    int64_t offset = 0;
    for (size_t n = 0; n < targets.size(); ++n) {
        if (targets[n] == weights) return offset;
        offset += count_of(shapes[n]);
    }
    return -1;
}

/// Not inlined: keeps the reduction vectorised.
template <class T>
[[gnu::noinline]] accumulator_t<T> dot(const T* x, const T* y, int64_t width) {
    using A = accumulator_t<T>;
    A sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t c = 0; c < width; ++c) sum += static_cast<A>(x[c]) * static_cast<A>(y[c]);
    return sum;
}

/// Adds what one row gives to the gradients of the weights.
template <class T>
void add_row(const ColumnMixOptions& o, const KernelCall& call, const std::vector<int>& targets,
             const std::vector<Shape>& shapes, int64_t row, double* sums) {
    const Tensor& gradient = call.inputs.back();
    const T* dy = gradient.as<const T>() + row * gradient.columns();
    for (const MixPiece& piece : o.pieces) {
        for (const MixTerm& term : piece.terms) {
            if (term.weights < 0) continue;
            const int64_t offset = target_offset(term.weights, targets, shapes);
            if (offset < 0) continue;
            const Tensor& x = call.inputs[static_cast<size_t>(term.input)];
            sums[offset + term.element] +=
                term.slope *
                static_cast<double>(
                    dot(x.as<const T>() + row * x.columns() + term.first, dy, piece.width));
        }
        dy += piece.width;
    }
}

template <class A>
void store_weight_gradients(const KernelCall& call, const double* partial, int64_t blocks,
                            int64_t total) {
    int64_t offset = 0;
    for (size_t n = 0; n < call.outputs.size(); ++n)
        for (int64_t e = 0; e < call.outputs[n].count(); ++e, ++offset) {
            double sum = 0;
            for (int64_t block = 0; block < blocks; ++block) sum += partial[block * total + offset];
            store(call.outputs[n].as<A>()[e], static_cast<A>(sum), call.accumulate[n] != 0);
        }
}

/// The coefficient of a term, in double.
template <class T>
double coefficient(const MixTerm& term, std::span<const Tensor> weights) {
    if (term.weights < 0) return term.constant;
    const Tensor& w = weights[static_cast<size_t>(term.weights)];
    return term.constant +
           term.slope * static_cast<double>(w.as<const accumulator_t<T>>()[term.element]);
}

template <class T>
void mix_reference(const std::vector<MixPiece>& pieces, std::span<const Tensor> data,
                   std::span<const Tensor> weights, const Tensor& out, bool accumulate) {
    for (int64_t row = 0; row < out.rows(); ++row) {
        T* y = out.as<T>() + row * out.columns();
        for (const MixPiece& piece : pieces)
            for (int64_t c = 0; c < piece.width; ++c, ++y) {
                double sum = 0;
                for (const MixTerm& term : piece.terms) {
                    const Tensor& x = data[static_cast<size_t>(term.input)];
                    sum += coefficient<T>(term, weights) *
                           static_cast<double>(x.as<const T>()[row * x.columns() + term.first + c]);
                }
                store(*y, sum, accumulate);
            }
    }
}

template <class T>
void add_row_reference(const ColumnMixOptions& o, const KernelCall& call,
                       const std::vector<int>& targets, const std::vector<Shape>& shapes,
                       int64_t row, double* sums) {
    const Tensor& gradient = call.inputs.back();
    int64_t out = row * gradient.columns();
    for (const MixPiece& piece : o.pieces)
        for (int64_t c = 0; c < piece.width; ++c, ++out)
            for (const MixTerm& term : piece.terms) {
                const int64_t offset = target_offset(term.weights, targets, shapes);
                if (term.weights < 0 || offset < 0) continue;
                const Tensor& x = call.inputs[static_cast<size_t>(term.input)];
                const auto value =
                    static_cast<double>(x.as<const T>()[row * x.columns() + term.first + c]);
                sums[offset + term.element] +=
                    term.slope * value * static_cast<double>(gradient.as<const T>()[out]);
            }
}

}  // namespace

int64_t ColumnMix::workspace_bytes(std::span<const TensorType> in, int) const {
    return sum_bytes(in[0].dtype, term_count(options_.pieces));
}

void ColumnMix::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        mix<T>(options_.pieces, call.inputs.first(options_.n_data),
               call.inputs.subspan(options_.n_data),
               reinterpret_cast<accumulator_t<T>*>(call.workspace.data()), call.outputs[0],
               call.accumulate[0] != 0);
    });
}

void ColumnMix::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        mix_reference<T>(options_.pieces, call.inputs.first(options_.n_data),
                         call.inputs.subspan(options_.n_data), call.outputs[0],
                         call.accumulate[0] != 0);
    });
}

int64_t ColumnMixBackwardData::workspace_bytes(std::span<const TensorType> in, int) const {
    int64_t most = 0;
    for (const auto& pieces : transposed_) most = std::max(most, term_count(pieces));
    return sum_bytes(in.back().dtype, most);
}

void ColumnMixBackwardData::run(const KernelCall& call) const {
    const auto weights = call.inputs.first(call.inputs.size() - 1);
    dispatch_float(call.inputs.back().type.dtype, [&]<class T>(T) {
        for (size_t n = 0; n < targets_.size(); ++n)
            mix<T>(transposed_[n], call.inputs.last(1), weights,
                   reinterpret_cast<accumulator_t<T>*>(call.workspace.data()), call.outputs[n],
                   call.accumulate[n] != 0);
    });
}

/// From the untransposed terms, so that it does not depend on the cutting of columns.
void ColumnMixBackwardData::run_reference(const KernelCall& call) const {
    const auto weights = call.inputs.first(call.inputs.size() - 1);
    const Tensor& gradient = call.inputs.back();
    dispatch_float(gradient.type.dtype, [&]<class T>(T) {
        for (size_t n = 0; n < targets_.size(); ++n) {
            const Tensor& out = call.outputs[n];
            std::vector<double> sums(static_cast<size_t>(out.count()), 0.0);
            for (int64_t row = 0; row < out.rows(); ++row) {
                const T* dy = gradient.as<const T>() + row * gradient.columns();
                for (const MixPiece& piece : options_.pieces) {
                    for (const MixTerm& term : piece.terms)
                        for (int64_t c = 0;
                             static_cast<size_t>(term.input) == targets_[n] && c < piece.width; ++c)
                            sums[static_cast<size_t>(row * out.columns() + term.first + c)] +=
                                coefficient<T>(term, weights) * static_cast<double>(dy[c]);
                    dy += piece.width;
                }
            }
            for (int64_t e = 0; e < out.count(); ++e)
                store(out.as<T>()[e], sums[static_cast<size_t>(e)], call.accumulate[n] != 0);
        }
    });
}

int64_t ColumnMixBackwardWeights::workspace_bytes(std::span<const TensorType> in, int) const {
    return block_sums_bytes(in[0].rows(), weight_total(shapes_), DType::kF64);
}

void ColumnMixBackwardWeights::run(const KernelCall& call) const {
    const int64_t total = weight_total(shapes_), rows = call.inputs[0].rows();
    auto* partial = reinterpret_cast<double*>(call.workspace.data());
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        const int64_t blocks = sum_by_blocks(rows, total, partial, [&](int64_t row, double* sums) {
            add_row<T>(options_, call, targets_, shapes_, row, sums);
        });
        store_weight_gradients<accumulator_t<T>>(call, partial, blocks, total);
    });
}

void ColumnMixBackwardWeights::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        std::vector<double> sums(static_cast<size_t>(weight_total(shapes_)), 0.0);
        for (int64_t row = 0; row < call.inputs[0].rows(); ++row)
            add_row_reference<T>(options_, call, targets_, shapes_, row, sums.data());
        store_weight_gradients<accumulator_t<T>>(call, sums.data(), 1, weight_total(shapes_));
    });
}

}  // namespace headroom
