#include "core/ops/linear_cross_entropy.h"

#include <cmath>

#include "core/data/batch.h"
#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/ops/classifier_chunks.h"
#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/exponential.h"

namespace headroom::cuda {
namespace {

/// The row of logits of a block: whole packs, then single ones. Thread t has packs t, t + threads
/// and so on.
template <class L>
struct LogitRow {
    static constexpr int kWidth = kFullPack<L>;
    using A = accumulator_t<L>;
    L* logits;
    int count;

    __device__ int packs() const { return count / kWidth; }

    /// f(first, width, values) for the thread's logits, in order.
    template <class F>
    __device__ void each(const Block& b, F f) const {
#pragma unroll 4
        for (int p = b.thread(); p < packs(); p += b.threads())
            f(load_wide<kWidth>(logits + p * kWidth));
        for (int j = packs() * kWidth + b.thread(); j < count; j += b.threads())
            f(load_wide<1>(logits + j));
    }

    /// Calls f(first, values) for packs of logits and puts the values in their place; the last
    /// ones first: they have been read last and may still be in a cache.
    template <class F>
    __device__ void map(const Block& b, F f) const {
        for (int j = packs() * kWidth + b.thread(); j < count; j += b.threads()) map_pack<1>(j, f);
        if (b.thread() >= packs()) return;
        const int last = (packs() - 1 - b.thread()) / b.threads();
#pragma unroll 2
        for (int n = last; n >= 0; --n)
            map_pack<kWidth>((b.thread() + n * b.threads()) * kWidth, f);
    }

    template <int W, class F>
    __device__ void map_pack(int first, F f) const {
        AlignedVector<A, W> values = load_wide<W>(logits + first);
        f(first, values);
        put(logits + first, values, false);
    }
};

/// share (softmax - onehot) in place of logits.
template <class L>
struct Gradient {
    using A = accumulator_t<L>;
    A most, factor, share;
    int32_t target;

    template <int W>
    __device__ void operator()(int first, AlignedVector<A, W>& values) const {
#pragma unroll
        for (int k = 0; k < W; ++k) values[k] = exponential<L>(values[k] - most) * factor;
        if (static_cast<uint32_t>(target - first) >= uint32_t{W}) return;
#pragma unroll
        for (int k = 0; k < W; ++k)
            if (first + k == target) values[k] -= share;
    }
};

struct Zero {
    template <class A, int W>
    __device__ void operator()(int, AlignedVector<A, W>& values) const {
        values = {};
    }
};

/// The largest logit so far and the sum of e^(logit - largest): Milakov, Gimelshein 2018,
/// arXiv:1805.02867, algorithm 3.
template <class L>
struct RunningSum {
    using A = accumulator_t<L>;
    A most = -static_cast<A>(INFINITY), sum = 0;

    template <int W>
    __device__ void add(const AlignedVector<A, W>& values) {
        A top = values[0];
#pragma unroll
        for (int k = 1; k < W; ++k) top = values[k] > top ? values[k] : top;
        if (top > most) {
            sum *= exponential<L>(most - top);
            most = top;
        }
#pragma unroll
        for (int k = 0; k < W; ++k) sum += exponential<L>(values[k] - most);
    }
};

/// A block for each row of a chunk: its loss, and its logits' gradients in their place.
template <class L>
struct FinishRow {
    using A = accumulator_t<L>;
    L* logits;
    const int32_t* targets;
    double* losses;
    const double* valid;
    int64_t stride;
    int vocab_size;
    A scale;
    bool gradient;

    __device__ void operator()(Block& b, int64_t i) const {
        const int32_t target = targets[i];
        const LogitRow<L> row{logits + i * stride, vocab_size};
        if (target == kIgnoredTarget) {
            if (b.thread() == 0) losses[i] = 0;
            if (gradient) row.map(b, Zero{});
            return;
        }
        const A at_target = static_cast<A>(row.logits[target]);
        RunningSum<L> running;
        row.each(b, [&](const auto& values) { running.add(values); });
        const A most = b.max(running.most);
        // Every thread has read its logits, and the target's, when the sum is known.
        const A sum = b.sum(running.sum * exp(running.most - most));
        if (b.thread() == 0)
            losses[i] = log(static_cast<double>(sum)) + static_cast<double>(most - at_target);
        if (!gradient) return;
        const A share = scale / static_cast<A>(*valid > 1 ? *valid : 1.0), factor = share / sum;
        row.map(b, Gradient<L>{most, factor, share, target});
    }
};

/// Few threads for a small vocabulary; a thousand for a large one, so that the few rows under way
/// may stay in the caches until they are read again.
template <class L>
constexpr int kMostRowThreads = sizeof(L) < 8 ? 1024 : 512;  // double takes twice the registers
template <class L>
int threads_of_row(int64_t vocab_size) {
    int threads = 32;
    while (threads < kMostRowThreads<L> && threads * 4 < vocab_size / kFullPack<L>) threads *= 2;
    return threads;
}

void count_valid(cudaStream_t stream, const int32_t* targets, int64_t rows, double* valid) {
    for_rows<1024>(stream, 1, 1024, [=] __device__(Block & b, int64_t) {
        double count = 0;
        for (int64_t i = b.thread(); i < rows; i += b.threads())
            count += targets[i] != kIgnoredTarget ? 1 : 0;
        count = b.sum(count);
        if (b.thread() == 0) *valid = count;
    });
}

/// As many as the caller says, in place of those that there are.
void take_divisor(cudaStream_t stream, const double* mean_over, double* valid) {
    for_rows(stream, 1, 32, [=] __device__(Block & b, int64_t) {
        if (b.thread() == 0) *valid = *mean_over;
    });
}

template <class A>
void finish_loss(cudaStream_t stream, const double* losses, int64_t rows, const double* valid,
                 A* loss, bool accumulate) {
    for_rows<1024>(stream, 1, 1024, [=] __device__(Block & b, int64_t) {
        double total = 0;
        for (int64_t i = b.thread(); i < rows; i += b.threads()) total += losses[i];
        total = b.sum(total);
        if (b.thread() == 0) put(*loss, total / (*valid > 1 ? *valid : 1.0), accumulate);
    });
}

/// The classifier over one call's rows, chunk by chunk: products, then a block of threads for each
/// row. T: of x, L: of the logits.
template <class T, class L>
class Classifier {
    using A = accumulator_t<T>;

  public:
    Classifier(const Call& call, const LinearCrossEntropyOptions& options, bool gradient,
               const ClassifierChunks& chunks)
        : call_(call),
          tied_(options.tied),
          gradient_(gradient),
          scale_(options.gradient_scale),
          chunks_(chunks),
          x_(call.inputs[0].as<const T>()),
          targets_(call.inputs[2].as<const int32_t>()),
          logits_(reinterpret_cast<L*>(call.workspace)),
          losses_(reinterpret_cast<double*>(call.workspace + chunks.losses_at)),
          valid_(reinterpret_cast<double*>(call.workspace + chunks.valid_at)) {}

    void run() {
        if (call_.inputs.size() == 4)
            take_divisor(call_.stream, call_.inputs[3].as<const double>(), valid_);
        else
            count_valid(call_.stream, targets_, chunks_.rows, valid_);
        for (int64_t begin = 0; begin < chunks_.rows; begin += chunks_.chunk_rows) {
            const int64_t rows = std::min(chunks_.chunk_rows, chunks_.rows - begin);
            multiply_logits(begin, rows);
            for_rows<kMostRowThreads<L>>(
                call_.stream, rows, threads_of_row<L>(chunks_.vocab_size),
                FinishRow<L>{logits_, targets_ + begin, losses_ + begin, valid_, chunks_.stride,
                             static_cast<int>(chunks_.vocab_size), static_cast<A>(scale_),
                             gradient_});
            if (gradient_) multiply_gradients(begin, rows);
        }
        finish_loss(call_.stream, losses_, chunks_.rows, valid_, call_.outputs[0].as<A>(),
                    call_.accumulate[0] != 0);
    }

  private:
    void multiply_logits(int64_t begin, int64_t rows) {
        const int64_t d = chunks_.d_model, vocab = chunks_.vocab_size;
        call_.products.run(
            {rows, vocab, d, false, tied_, d, tied_ ? d : vocab, chunks_.stride, false}, stored(),
            x_ + begin * d, call_.inputs[1].data, DTypeOf<L>::value, logits_, call_.stream);
    }

    void multiply_gradients(int64_t begin, int64_t rows) {
        const int64_t d = chunks_.d_model, vocab = chunks_.vocab_size, stride = chunks_.stride;
        const T* x = x_ + begin * d;
        T* dx = call_.outputs[1].as<T>() + begin * d;
        A* dw = call_.outputs[2].as<A>();
        const bool add_dx = call_.accumulate[1] != 0;
        const bool add_dw = call_.accumulate[2] != 0 || begin > 0;
        call_.products.run({rows, d, vocab, false, !tied_, stride, tied_ ? d : vocab, d, add_dx},
                           stored(), logits_, call_.inputs[1].data, stored(), dx, call_.stream);
        if (tied_)
            call_.products.run({vocab, d, rows, true, false, stride, d, d, add_dw}, stored(),
                               logits_, x, DTypeOf<A>::value, dw, call_.stream);
        else
            call_.products.run({d, vocab, rows, true, false, d, stride, vocab, add_dw}, stored(), x,
                               logits_, DTypeOf<A>::value, dw, call_.stream);
    }

    static DType stored() { return DTypeOf<T>::value; }

    const Call& call_;
    bool tied_, gradient_;
    double scale_;
    ClassifierChunks chunks_;
    const T* x_;
    const int32_t* targets_;
    L* logits_;
    double *losses_, *valid_;
};

}  // namespace

Kernel make_classifier(const LinearCrossEntropyOptions& options, bool gradient, Types inputs,
                       int64_t logits_bytes) {
    const ClassifierChunks chunks(inputs[0], inputs[1], options.tied, gradient, logits_bytes);
    return {[=](const Call& call) {
                dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
                    if (gradient)
                        Classifier<T, T>(call, options, true, chunks).run();
                    else
                        Classifier<T, accumulator_t<T>>(call, options, false, chunks).run();
                });
            },
            chunks.workspace_bytes()};
}

static Kernel linear_cross_entropy_kernel(const Op& op, Types inputs) {
    return make_classifier(dynamic_cast<const LinearCrossEntropy&>(op).options(), false, inputs);
}

static Kernel linear_cross_entropy_with_gradient_kernel(const Op& op, Types inputs) {
    return make_classifier(dynamic_cast<const LinearCrossEntropyWithGradient&>(op).options(), true,
                           inputs);
}

const RegisteredKernel kLinearCrossEntropyKernels[] = {
    {"linear_cross_entropy", linear_cross_entropy_kernel},
    {"linear_cross_entropy_with_gradient", linear_cross_entropy_with_gradient_kernel}};

}  // namespace headroom::cuda
