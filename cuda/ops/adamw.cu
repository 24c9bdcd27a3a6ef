#include "core/ops/adamw.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

constexpr int64_t kPieces = 256;       ///< partial sums of one tensor: fixed, so that sums are
constexpr int64_t kAdamWPiece = 8192;  ///< numbers that one block updates

template <class A>
void add_squares(const Call& call, const Tensor& gradient, double* partial) {
    const A* g = gradient.as<const A>();
    const int64_t count = gradient.count();
    for_rows(call.stream, kPieces, 256, [=] __device__(Block & b, int64_t piece) {
        const int64_t begin = count * piece / kPieces, end = count * (piece + 1) / kPieces;
        double sum = 0;
        for (int64_t i = begin + b.thread(); i < end; i += b.threads())
            sum += static_cast<double>(g[i]) * static_cast<double>(g[i]);
        sum = b.sum(sum);
        if (b.thread() == 0) partial[piece] += sum;
    });
}

/// sqrt(sum g²): every tensor adds to the same pieces, one after the other in the stream.
void gradient_norm(const Call& call, double* partial) {
    double* norm = call.outputs[0].as<double>();
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, kPieces, [=] __device__(int64_t i) { partial[i] = 0; });
    for (const Tensor& gradient : call.inputs)
        dispatch_accumulator(gradient.type.dtype,
                             [&]<class A>(A) { add_squares<A>(call, gradient, partial); });
    for_each(call.stream, 1, [=] __device__(int64_t) {
        double sum = 0;
        for (int64_t i = 0; i < kPieces; ++i) sum += partial[i];
        put(*norm, sqrt(sum), accumulate);
    });
}

template <class A>
void adamw(const Call& call, const AdamWOptions& o) {
    const A* g = call.inputs[0].as<const A>();
    const double* norm = call.inputs[1].as<const double>();
    A *w = call.outputs[0].as<A>(), *m = call.outputs[1].as<A>(), *v = call.outputs[2].as<A>();
    const StepContext* step = call.step;
    const AdamWOptions options = o;
    const int64_t count = call.inputs[0].count();
    const int64_t pieces = (count + kAdamWPiece - 1) / kAdamWPiece;
    for_rows(call.stream, pieces, 256, [=] __device__(Block & b, int64_t piece) {
        if (!isfinite(*norm)) return;
        const double t = static_cast<double>(step->step), lr = step->lr * options.lr_scale;
        const A step_size = static_cast<A>(lr / (1.0 - pow(options.beta1, t)));
        const A root = static_cast<A>(1.0 / sqrt(1.0 - pow(options.beta2, t)));
        const A keep = static_cast<A>(1.0 - lr * options.weight_decay);
        const A beta1 = static_cast<A>(options.beta1), beta2 = static_cast<A>(options.beta2);
        const A eps = static_cast<A>(options.eps);
        const double clip = options.grad_clip, share = clip > 0 ? clip / (*norm + 1e-6) : 1.0;
        const A factor = static_cast<A>(share < 1.0 ? share : 1.0);
        const int64_t begin = piece * kAdamWPiece;
        const int64_t end = begin + kAdamWPiece < count ? begin + kAdamWPiece : count;
        for (int64_t i = begin + b.thread(); i < end; i += b.threads()) {
            const A gradient = factor * g[i];
            const A first = beta1 * m[i] + (A(1) - beta1) * gradient;
            const A second = beta2 * v[i] + (A(1) - beta2) * gradient * gradient;
            m[i] = first;
            v[i] = second;
            w[i] = w[i] * keep - step_size * first / (sqrt(second) * root + eps);
        }
    });
}

}  // namespace

Kernel gradient_norm_kernel(const Op&, Types) {
    return {[](const Call& call) {
                gradient_norm(call, reinterpret_cast<double*>(call.workspace));
            },
            kPieces * static_cast<int64_t>(sizeof(double))};
}

Kernel adamw_kernel(const Op& op, Types) {
    const AdamWOptions options = dynamic_cast<const AdamW&>(op).options();
    return [options](const Call& call) {
        dispatch_accumulator(call.inputs[0].type.dtype,
                             [&]<class A>(A) { adamw<A>(call, options); });
    };
}

}  // namespace headroom::cuda
