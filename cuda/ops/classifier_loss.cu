#include "core/ops/classifier_loss.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/ops/classifier_blocks.h"
#include "core/ops/dispatch.h"
#include "core/train/batch_source.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

/// The classifier over one call's rows, block by block, as on the CPU: products, then a block of
/// threads for each row.
template <class T>
class Classifier {
    using A = accumulator_t<T>;

  public:
    /// `valid` has room for the number of valid targets.
    Classifier(const Call& call, const ClassifierLossOptions& options, double* valid)
        : call_(call),
          valid_(valid),
          tied_(options.tied),
          scale_(options.gradient_scale),
          blocks_(call.inputs[0].type, call.inputs[1].type, options.tied),
          targets_(call.inputs[2].as<const int32_t>()),
          logits_(reinterpret_cast<A*>(call.workspace)),
          losses_(reinterpret_cast<double*>(call.workspace + blocks_.logits_bytes +
                                            blocks_.stored_bytes)),
          dlogits_(std::is_same_v<T, A>
                       ? reinterpret_cast<T*>(logits_)
                       : reinterpret_cast<T*>(call.workspace + blocks_.logits_bytes)) {}

    /// dx and dw may be null: the loss alone.
    void run(T* dx, A* dw) {
        count_valid();
        for (int64_t begin = 0; begin < blocks_.rows; begin += blocks_.block_rows) {
            const int64_t rows = std::min(blocks_.block_rows, blocks_.rows - begin);
            multiply_logits(begin, rows);
            finish_rows(begin, rows, dx != nullptr);
            if (dx != nullptr) multiply_gradients(begin, rows, dx, dw);
        }
        finish_loss();
    }

    /// Public, since nvcc makes device functions in public members only.
    void finish_rows(int64_t begin, int64_t rows, bool gradient) {
        const int64_t vocab = blocks_.vocab_size;
        const int32_t* targets = targets_ + begin;
        A* logits = logits_;
        T* dlogits = dlogits_;
        double* losses = losses_ + begin;
        const A scale = static_cast<A>(scale_);
        const double* count = valid_;
        for_rows(call_.stream, rows, 256, [=] __device__(Block & b, int64_t i) {
            const int32_t target = targets[i];
            A* row = logits + i * vocab;
            T* drow = dlogits + i * vocab;
            if (target == kIgnoredTarget) {
                if (b.thread() == 0) losses[i] = 0;
                for (int64_t j = b.thread(); gradient && j < vocab; j += b.threads())
                    drow[j] = static_cast<T>(A(0));
                return;
            }
            A most = row[0], sum = 0;
            for (int64_t j = b.thread(); j < vocab; j += b.threads())
                most = row[j] > most ? row[j] : most;
            most = b.max(most);
            const A at_target = row[target];
            for (int64_t j = b.thread(); j < vocab; j += b.threads()) sum += exp(row[j] - most);
            sum = b.sum(sum);  // also: every thread has read the target's logit
            if (b.thread() == 0)
                losses[i] = log(static_cast<double>(sum)) + static_cast<double>(most - at_target);
            if (!gradient) return;
            const A share = scale / static_cast<A>(*count > 1 ? *count : 1.0), factor = share / sum;
            for (int64_t j = b.thread(); j < vocab; j += b.threads())
                drow[j] = static_cast<T>(exp(row[j] - most) * factor - (j == target ? share : A(0)));
        });
    }

    void count_valid() {
        double* count = valid_;
        const int32_t* targets = targets_;
        const int64_t rows = blocks_.rows;
        for_rows(call_.stream, 1, 256, [=] __device__(Block & b, int64_t) {
            double valid = 0;
            for (int64_t i = b.thread(); i < rows; i += b.threads())
                valid += targets[i] != kIgnoredTarget ? 1 : 0;
            valid = b.sum(valid);
            if (b.thread() == 0) *count = valid;
        });
    }

    void finish_loss() {
        const double *losses = losses_, *count = valid_;
        A* loss = call_.outputs[0].as<A>();
        const int64_t rows = blocks_.rows;
        const bool accumulate = call_.accumulate[0] != 0;
        for_rows(call_.stream, 1, 256, [=] __device__(Block & b, int64_t) {
            double total = 0;
            for (int64_t i = b.thread(); i < rows; i += b.threads()) total += losses[i];
            total = b.sum(total);
            if (b.thread() == 0) put(*loss, total / (*count > 1 ? *count : 1.0), accumulate);
        });
    }

  private:
    void multiply_logits(int64_t begin, int64_t rows) {
        const int64_t d = blocks_.d_model, vocab = blocks_.vocab_size;
        const T* x = call_.inputs[0].as<const T>();
        call_.products.run({rows, vocab, d, false, tied_, d, tied_ ? d : vocab, vocab, false},
                           stored(), x + begin * d, call_.inputs[1].data, sums(), logits_,
                           call_.stream);
    }

    void multiply_gradients(int64_t begin, int64_t rows, T* dx, A* dw) {
        const int64_t d = blocks_.d_model, vocab = blocks_.vocab_size;
        const T* x = call_.inputs[0].as<const T>() + begin * d;
        const bool add_dx = call_.accumulate[1] != 0;
        const bool add_dw = call_.accumulate[2] != 0 || begin > 0;
        call_.products.run({rows, d, vocab, false, !tied_, vocab, tied_ ? d : vocab, d, add_dx},
                           stored(), dlogits_, call_.inputs[1].data, stored(), dx + begin * d,
                           call_.stream);
        if (tied_)
            call_.products.run({vocab, d, rows, true, false, vocab, d, d, add_dw}, stored(),
                               dlogits_, x, sums(), dw, call_.stream);
        else
            call_.products.run({d, vocab, rows, true, false, d, vocab, vocab, add_dw}, stored(), x,
                               dlogits_, sums(), dw, call_.stream);
    }

    static DType stored() { return DTypeOf<T>::value; }
    static DType sums() { return DTypeOf<A>::value; }

    const Call& call_;
    double* valid_;
    bool tied_;
    double scale_;
    ClassifierBlocks blocks_;
    const int32_t* targets_;
    A* logits_;
    double* losses_;
    T* dlogits_;
};

/// Behind what the blocks take: the number of valid targets.
int64_t count_place(const Op& op, Types inputs) {
    return (op.workspace_bytes(inputs, 1) + 7) / 8 * 8;
}

}  // namespace

Kernel classifier_loss_kernel(const Op& op, Types inputs) {
    const ClassifierLossOptions options = dynamic_cast<const ClassifierLoss&>(op).options();
    const int64_t place = count_place(op, inputs);
    return {[options, place](const Call& call) {
                auto* valid = reinterpret_cast<double*>(call.workspace + place);
                dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
                    Classifier<T>(call, options, valid).run(nullptr, nullptr);
                });
            },
            place + 8};
}

Kernel classifier_loss_with_gradient_kernel(const Op& op, Types inputs) {
    const ClassifierLossOptions options =
        dynamic_cast<const ClassifierLossWithGradient&>(op).options();
    const int64_t place = count_place(op, inputs);
    return {[options, place](const Call& call) {
                auto* valid = reinterpret_cast<double*>(call.workspace + place);
                dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
                    Classifier<T>(call, options, valid)
                        .run(call.outputs[1].as<T>(), call.outputs[2].as<accumulator_t<T>>());
                });
            },
            place + 8};
}

}  // namespace headroom::cuda
