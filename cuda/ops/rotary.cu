#include "core/ops/rotary.h"

#include <cmath>

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

/// A thread for each pair; the columns that do not turn are copied by the head's first ones.
template <class T>
void rotate(const Call& call, const RotaryOptions& o) {
    using A = accumulator_t<T>;
    const T* x = call.inputs[0].as<const T>();
    T* y = call.outputs[0].as<T>();
    const int64_t seq_len = call.inputs[0].type.shape[1], columns = call.inputs[0].columns();
    const int64_t n_head = columns / o.d_head;
    const StepContext* step = call.step;
    const int64_t pairs = o.width / 2, still = o.d_head - o.width;
    const int64_t per_head = pairs + still;
    const double sign = o.inverse ? -1.0 : 1.0, log_theta = std::log(o.theta);
    const bool accumulate = call.accumulate[0] != 0;
    for_each(call.stream, call.inputs[0].rows() * n_head * per_head, [=] __device__(int64_t i) {
        const int64_t row = i / (n_head * per_head), rest = i % (n_head * per_head);
        const int64_t head = row * columns + rest / per_head * o.d_head, part = rest % per_head;
        if (part >= pairs) {
            const int64_t n = part - pairs, at = head + (n < o.first ? n : n + o.width);
            put(y[at], static_cast<A>(x[at]), accumulate);
            return;
        }
        const int64_t a = head + o.first + (o.interleaved ? 2 * part : part);
        const int64_t b = a + (o.interleaved ? 1 : pairs);
        const double turn = sign * static_cast<double>(step->position + row % seq_len) *
                            exp(-2.0 * static_cast<double>(part) /
                                static_cast<double>(o.width) * log_theta);
        const A c = static_cast<A>(cos(turn)), s = static_cast<A>(sin(turn));
        const A xa = static_cast<A>(x[a]), xb = static_cast<A>(x[b]);
        put(y[a], xa * c - xb * s, accumulate);
        put(y[b], xb * c + xa * s, accumulate);
    });
}

}  // namespace

Kernel rotary_kernel(const Op& op, Types) {
    const RotaryOptions options = dynamic_cast<const Rotary&>(op).options();
    return [options](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { rotate<T>(call, options); });
    };
}

}  // namespace headroom::cuda
