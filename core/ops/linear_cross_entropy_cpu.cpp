#include <algorithm>
#include <cmath>
#include <utility>

#include "core/cpu/cpu_context.h"
#include "core/cpu/store_each.h"
#include "core/cpu/vector_math.h"
#include "core/cpu/weight_panels.h"
#include "core/data/batch.h"
#include "core/ops/classifier_blocks.h"
#include "core/ops/dispatch.h"
#include "core/ops/linear_cross_entropy.h"
#include "core/ops/told_norm.h"

namespace headroom {
namespace {

constexpr int64_t kManyLogits = 1 << 23;  ///< of which the first have left the cache when all stand

/// Loss of one row; overwrites the logits by exp(logit - maximum) and returns their sum.
template <class A>
double row_loss(A* logits, int64_t vocab_size, int32_t target, A& sum) {
    A maximum = logits[0];
#pragma omp simd reduction(max : maximum)
    for (int64_t j = 0; j < vocab_size; ++j)  // std::max would keep the loop scalar
        maximum = logits[j] > maximum ? logits[j] : maximum;
    const A target_logit = logits[target];
    sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < vocab_size; ++j) {
        logits[j] = vmath::exp(logits[j] - maximum);
        sum += logits[j];
    }
    return std::log(static_cast<double>(sum)) + static_cast<double>(maximum - target_logit);
}

/// Turns a row of exponentials into scale * (softmax - onehot), in storage type.
template <class T, class A>
void row_gradient(const A* exponentials, A sum, int64_t vocab_size, int32_t target, double scale,
                  T* dlogits) {
    const A factor = static_cast<A>(scale) / sum;
    const A at_target = exponentials[target] * factor - static_cast<A>(scale);
    store_each(
        dlogits, 0, vocab_size, [=](int64_t j) __attribute__((always_inline)) {
            return exponentials[j] * factor;
        });
    dlogits[target] = at_target;
}

/// What the sum of the losses is divided by: mean_over, or the number of valid targets.
double mean_divisor(const KernelCall& call) {
    const Tensor& targets = call.inputs[2];
    const double count =
        call.inputs.size() == 4
            ? *call.inputs[3].as<const double>()
            : static_cast<double>(
                  count_valid({targets.as<const int32_t>(), static_cast<size_t>(targets.count())}));
    return std::max(count, 1.0);
}

/// The classifier over one call's rows, block by block; dx and dw may be null (loss only).
template <class T>
class Classifier {
    using A = accumulator_t<T>;

  public:
    Classifier(const KernelCall& call, bool tied, double gradient_scale)
        : call_(call),
          tied_(tied),
          panels_(call.inputs[1].type.layout == MemoryLayout::kPanels),
          blocks_(call.inputs[0].type, call.inputs[1].type, tied),
          x_(call.inputs[0].as<const T>()),
          w_(call.inputs[1].as<const T>()),
          targets_(call.inputs[2].as<const int32_t>()),
          logits_(reinterpret_cast<A*>(call.workspace.data())),
          losses_(reinterpret_cast<double*>(call.workspace.data() + blocks_.logits_bytes +
                                            blocks_.stored_bytes)),
          divisor_(mean_divisor(call)),
          scale_(gradient_scale / divisor_) {
        if constexpr (std::is_same_v<T, A>)
            dlogits_ = logits_;
        else
            dlogits_ = reinterpret_cast<T*>(call.workspace.data() + blocks_.logits_bytes);
    }

    /// Scratch beyond the blocks' own.
    double* norm_scratch() const {
        return reinterpret_cast<double*>(call_.workspace.data() + blocks_.workspace_bytes());
    }

    /// Returns the squared norm of dw as it is in the end, if there is scratch for it.
    double run(T* dx, A* dw, double* scratch = nullptr) {
        double norm = 0;
        for (int64_t begin = 0; begin < blocks_.rows; begin += blocks_.block_rows) {
            const int64_t rows = std::min(blocks_.block_rows, blocks_.rows - begin);
            multiply_logits(begin, rows);
            finish_rows(begin, rows, dx != nullptr);
            const bool last = begin + rows == blocks_.rows;
            if (dx != nullptr)
                norm = multiply_gradients(begin, rows, dx, dw, last ? scratch : nullptr);
        }
        double total = 0;
        for (int64_t i = 0; i < blocks_.rows; ++i) total += losses_[i];
        const double mean = total / divisor_;
        A* loss = call_.outputs[0].as<A>();
        *loss = static_cast<A>(call_.accumulate[0] ? *loss + mean : mean);
        return norm;
    }

  private:
    int64_t weight_stride() const {
        const int64_t rows = tied_ ? blocks_.vocab_size : blocks_.d_model;
        return panels_ ? panel_numbers(rows) : (tied_ ? blocks_.d_model : blocks_.vocab_size);
    }

    void multiply_logits(int64_t begin, int64_t rows) {
        const int64_t d = blocks_.d_model, vocab = blocks_.vocab_size;
        GemmShape shape{rows, vocab, d, false, tied_, d, weight_stride(), vocab, false, panels_};
        shape.read_late = rows * vocab >= kManyLogits;
        call_.cpu.gemm(shape, x_ + begin * d, w_, logits_);
    }

    void finish_rows(int64_t begin, int64_t rows, bool gradient) {
        const int64_t vocab = blocks_.vocab_size;
        parallel_for(rows, 1, [&](int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i) {
                const int32_t target = targets_[begin + i];
                T* drow = dlogits_ + i * vocab;
                if (target == kIgnoredTarget) {
                    losses_[begin + i] = 0;
                    if (gradient) std::fill(drow, drow + vocab, T{});
                    continue;
                }
                A sum = 0;
                A* row = logits_ + i * vocab;
                losses_[begin + i] = row_loss(row, vocab, target, sum);
                if (gradient) row_gradient(row, sum, vocab, target, scale_, drow);
            }
        });
    }

    /// Returns the squared norm of dw then, if there is scratch for it.
    double multiply_gradients(int64_t begin, int64_t rows, T* dx, A* dw, double* scratch) {
        const int64_t d = blocks_.d_model, vocab = blocks_.vocab_size;
        const bool add_dx = call_.accumulate[1] != 0;
        const bool add_dw = call_.accumulate[2] != 0 || begin > 0;
        call_.cpu.gemm({rows, d, vocab, false, !tied_, vocab, weight_stride(), d, add_dx, panels_},
                       dlogits_, w_, dx + begin * d);
        GemmShape to_dw = tied_ ? GemmShape{vocab, d, rows, true, false, vocab, d, d, add_dw}
                                : GemmShape{d, vocab, rows, true, false, d, vocab, vocab, add_dw};
        to_dw.read_late = true;
        const T *left = dlogits_, *right = x_ + begin * d;
        if (!tied_) std::swap(left, right);
        if (scratch != nullptr) return call_.cpu.gemm_with_norm(to_dw, left, right, dw, scratch);
        call_.cpu.gemm(to_dw, left, right, dw);
        return 0;
    }

    const KernelCall& call_;
    bool tied_, panels_;
    ClassifierBlocks blocks_;
    const T* x_;
    const T* w_;
    const int32_t* targets_;
    A* logits_;
    T* dlogits_ = nullptr;
    double* losses_;
    double divisor_, scale_;
};

/// The specification: one row at a time, sums in double.
template <class T>
void reference(const KernelCall& call, bool tied, double gradient_scale, T* dx, T* dw) {
    const Tensor &x = call.inputs[0], &w = call.inputs[1];
    const ClassifierBlocks blocks(x.type, w.type, tied);
    const auto* targets = call.inputs[2].as<const int32_t>();
    const int64_t d = blocks.d_model, vocab = blocks.vocab_size;
    const auto weight = [&](int64_t channel, int64_t token) {
        return tied ? token * d + channel : channel * vocab + token;
    };
    const double divisor = mean_divisor(call);
    if (dx != nullptr && !call.accumulate[1]) std::fill(dx, dx + x.count(), T{});
    if (dw != nullptr && !call.accumulate[2]) std::fill(dw, dw + w.count(), T{});
    double loss = 0;
    for (int64_t i = 0; i < blocks.rows; ++i) {
        if (targets[i] == kIgnoredTarget) continue;
        const T* row = x.as<const T>() + i * d;
        const auto logit = [&](int64_t token) {
            double sum = 0;
            for (int64_t c = 0; c < d; ++c)
                sum += static_cast<double>(row[c]) *
                       static_cast<double>(w.as<const T>()[weight(c, token)]);
            return sum;
        };
        double maximum = logit(0), sum = 0;
        for (int64_t j = 1; j < vocab; ++j) maximum = std::max(maximum, logit(j));
        for (int64_t j = 0; j < vocab; ++j) sum += std::exp(logit(j) - maximum);
        loss += std::log(sum) + maximum - logit(targets[i]);
        if (dx == nullptr) continue;
        for (int64_t j = 0; j < vocab; ++j) {
            const double p = std::exp(logit(j) - maximum) / sum;
            const double dlogit = (p - (j == targets[i] ? 1.0 : 0.0)) * gradient_scale / divisor;
            for (int64_t c = 0; c < d; ++c) {
                dx[i * d + c] +=
                    static_cast<T>(dlogit * static_cast<double>(w.as<const T>()[weight(c, j)]));
                dw[weight(c, j)] += static_cast<T>(dlogit * static_cast<double>(row[c]));
            }
        }
    }
    T* out = call.outputs[0].as<T>();
    *out = static_cast<T>((call.accumulate[0] ? static_cast<double>(*out) : 0.0) + loss / divisor);
}

}  // namespace

void LinearCrossEntropy::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        Classifier<T>(call, options_.tied, 1.0).run(nullptr, nullptr);
    });
}

void LinearCrossEntropy::run_reference(const KernelCall& call) const {
    if (call.inputs[0].type.dtype == DType::kF64)
        reference<double>(call, options_.tied, 1.0, nullptr, nullptr);
    else
        reference<float>(call, options_.tied, 1.0, nullptr, nullptr);
}

void LinearCrossEntropyWithGradient::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        using A = accumulator_t<T>;
        Classifier<T> classifier(call, options_.tied, options_.gradient_scale);
        auto* dx = call.outputs[1].as<T>();
        auto* dw = call.outputs[2].as<A>();
        if (!tells_norm_) {
            classifier.run(dx, dw);
            return;
        }
        double* const scratch = classifier.norm_scratch();
        tell_norm<A>(call, 2, scratch, [&] { return classifier.run(dx, dw, scratch); });
    });
}

void LinearCrossEntropyWithGradient::run_reference(const KernelCall& call) const {
    const auto with = [&]<class T>(T) {
        reference<T>(call, options_.tied, options_.gradient_scale, call.outputs[1].as<T>(),
                     call.outputs[2].as<T>());
    };
    const auto all = [&] {
        if (call.inputs[0].type.dtype == DType::kF64)
            with(double{});
        else
            with(float{});
    };
    if (tells_norm_)
        tell_by_reference(call, 2, all);
    else
        all();
}

}  // namespace headroom
