#include "core/ops/cross_entropy.h"

#include <cmath>

#include "core/data/batch.h"
#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/exponential.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/number.h"

namespace headroom::cuda {
namespace {

/// A warp for each row: its loss, whether it is right, and its logits' gradients.
template <class T>
struct ClassRow {
    using A = accumulator_t<T>;
    const T* logits;
    const int32_t* targets;
    double *losses, *right;
    const double* valid;
    T* dlogits;  ///< null: not wanted
    int64_t columns;
    A scale;
    bool accumulate;

    __device__ void operator()(Block& b, int64_t i) const {
        const int32_t target = targets[i];
        const bool counts = target != kIgnoredTarget;
        const T* row = logits + i * columns;
        A most = -static_cast<A>(INFINITY);
        for (int64_t j = b.thread(); j < columns; j += b.threads())
            most = static_cast<A>(row[j]) > most ? static_cast<A>(row[j]) : most;
        most = b.max(most);
        A sum = 0, before = 0;  // as large, and in front of the target
        for (int64_t j = b.thread(); j < columns; j += b.threads()) {
            sum += exponential<T>(static_cast<A>(row[j]) - most);
            before += j < target && static_cast<A>(row[j]) == most ? 1 : 0;
        }
        sum = b.sum(sum);
        before = b.sum(before);
        if (b.thread() == 0) {
            const A at_target = counts ? static_cast<A>(row[target]) : most;
            losses[i] = counts
                            ? log(static_cast<double>(sum)) + static_cast<double>(most - at_target)
                            : 0.0;
            right[i] = counts && at_target == most && before == 0 ? 1.0 : 0.0;
        }
        if (dlogits == nullptr) return;
        const A share = counts ? scale / static_cast<A>(*valid > 1 ? *valid : 1.0) : A(0);
        for (int64_t j = b.thread(); j < columns; j += b.threads()) {
            const A p = exponential<T>(static_cast<A>(row[j]) - most) / sum;
            put(dlogits[i * columns + j], share * (p - (j == target ? A(1) : A(0))), accumulate);
        }
    }
};

template <class T>
void class_loss(const Call& call, double scale, T* dlogits) {
    using A = accumulator_t<T>;
    const int64_t rows = call.inputs[0].rows();
    const auto* targets = call.inputs[1].as<const int32_t>();
    auto* losses = reinterpret_cast<double*>(call.workspace);
    double *right = losses + rows, *valid = right + rows;
    for_rows<1024>(call.stream, 1, 1024, [=] __device__(Block & b, int64_t) {
        double count = 0;
        for (int64_t i = b.thread(); i < rows; i += b.threads())
            count += targets[i] != kIgnoredTarget ? 1 : 0;
        count = b.sum(count);
        if (b.thread() == 0) *valid = count;
    });
    const bool accumulate = dlogits != nullptr && call.accumulate[2] != 0;
    for_rows(call.stream, rows, 32,
             ClassRow<T>{call.inputs[0].as<const T>(), targets, losses, right, valid, dlogits,
                         call.inputs[0].columns(), static_cast<A>(scale), accumulate});
    A *loss = call.outputs[0].as<A>(), *correct = call.outputs[1].as<A>();
    const bool add_loss = call.accumulate[0] != 0, add_correct = call.accumulate[1] != 0;
    for_rows<1024>(call.stream, 1, 1024, [=] __device__(Block & b, int64_t) {
        double total = 0, hits = 0;
        for (int64_t i = b.thread(); i < rows; i += b.threads()) {
            total += losses[i];
            hits += right[i];
        }
        total = b.sum(total);
        hits = b.sum(hits);
        if (b.thread() != 0) return;
        put(*loss, total / (*valid > 1 ? *valid : 1.0), add_loss);
        put(*correct, hits, add_correct);
    });
}

/// A loss and a hit of each row, and how many there are.
int64_t class_loss_bytes(Types inputs) {
    return (2 * inputs[0].rows() + 1) * int64_t{sizeof(double)};
}

}  // namespace

static Kernel cross_entropy_kernel(const Op&, Types inputs) {
    return {[](const Call& call) {
                dispatch_float(call.inputs[0].type.dtype,
                               [&]<class T>(T) { class_loss<T>(call, 1.0, nullptr); });
            },
            class_loss_bytes(inputs)};
}

static Kernel cross_entropy_with_gradient_kernel(const Op& op, Types inputs) {
    const double scale = dynamic_cast<const CrossEntropyWithGradient&>(op).gradient_scale();
    return {[scale](const Call& call) {
                dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
                    class_loss<T>(call, scale, call.outputs[2].as<T>());
                });
            },
            class_loss_bytes(inputs)};
}

const RegisteredKernel kCrossEntropyKernels[] = {
    {"cross_entropy", cross_entropy_kernel},
    {"cross_entropy_with_gradient", cross_entropy_with_gradient_kernel}};

}  // namespace headroom::cuda
