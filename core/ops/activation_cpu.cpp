#include "core/cpu/parallel.h"
#include "core/cpu/store_each.h"
#include "core/ops/activation.h"
#include "core/ops/activation_map.h"
#include "core/ops/dispatch.h"

namespace headroom {
namespace {

constexpr int64_t kGrain = 8192;

/// y[i] = f(i) or y[i] += f(i) for all i, in vectors. Outputs may lie where inputs lie.
template <class T, class F>
void map(T* y, int64_t count, bool accumulate, F&& f) {
    using A = accumulator_t<T>;
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
        if (accumulate)
            store_each(
                y, begin, end, [&](int64_t i) __attribute__((always_inline)) {
                    return static_cast<A>(y[i]) + f(i);
                });
        else
            store_each(y, begin, end, f);
    });
}

// What map() computes for element i. Functors and not lambdas, since a call that GCC does not
// inline keeps the loop scalar, and it takes the attribute here.

/// act(x), times up where there is one.
template <ActivationKind kKind, class T, bool kGated>
struct Value {
    using A = accumulator_t<T>;
    const T *x, *up;

    [[gnu::always_inline]] A operator()(int64_t i) const {
        const A value = activate<kKind>(static_cast<A>(x[i])).value;
        return kGated ? value * static_cast<A>(up[i]) : value;
    }
};

/// act'(x) dy, times up where there is one.
template <ActivationKind kKind, class T, bool kGated>
struct Slope {
    using A = accumulator_t<T>;
    const T *x, *dy, *up;

    [[gnu::always_inline]] A operator()(int64_t i) const {
        const A slope = activate<kKind>(static_cast<A>(x[i])).slope * static_cast<A>(dy[i]);
        return kGated ? slope * static_cast<A>(up[i]) : slope;
    }
};

/// Calls f<kind, T>() for the activation and the storage type of the first input.
template <class F>
void dispatch(ActivationKind kind, const KernelCall& call, F&& f) {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        with_activation(kind, [&]<ActivationKind kKind>() { f.template operator()<kKind, T>(); });
    });
}

/// Both gradients of act(gate) up, each into its own output; both are formed before either is
/// written, since an output may lie where an input lies.
template <ActivationKind kKind, class T>
void gated_gradients(const KernelCall& call) {
    using A = accumulator_t<T>;
    const T *gate = call.inputs[0].as<const T>(), *up = call.inputs[1].as<const T>();
    const T* dy = call.inputs[2].as<const T>();
    T *dgate = call.outputs[0].as<T>(), *dup = call.outputs[1].as<T>();
    const A keep_gate = call.accumulate[0] != 0 ? A{1} : A{0};
    const A keep_up = call.accumulate[1] != 0 ? A{1} : A{0};
    const bool overwrite = call.accumulate[0] == 0 && call.accumulate[1] == 0;
    parallel_for(call.inputs[0].count(), kGrain, [&](int64_t begin, int64_t end) {
        if (overwrite) {
            constexpr int64_t kBlock = 256;
            alignas(64) A dgates[kBlock], dups[kBlock];
            for (int64_t first = begin; first < end; first += kBlock) {
                const int64_t count = std::min(kBlock, end - first);
#pragma omp simd
                for (int64_t i = 0; i < count; ++i) {
                    const auto act = activate<kKind>(static_cast<A>(gate[first + i]));
                    const A d = static_cast<A>(dy[first + i]), u = static_cast<A>(up[first + i]);
                    dgates[i] = act.slope * u * d;
                    dups[i] = act.value * d;
                }
                store_rounded(dgates, count, dgate + first);
                store_rounded(dups, count, dup + first);
            }
            return;
        }
        for (int64_t i = begin; i < end; ++i) {
            const auto act = activate<kKind>(static_cast<A>(gate[i]));
            const A d = static_cast<A>(dy[i]), u = static_cast<A>(up[i]);
            const A old_gate = keep_gate == A{0} ? A{0} : static_cast<A>(dgate[i]);
            const A old_up = keep_up == A{0} ? A{0} : static_cast<A>(dup[i]);
            dgate[i] = old_gate + act.slope * u * d;
            dup[i] = old_up + act.value * d;
        }
    });
}

}  // namespace

void Activation::run(const KernelCall& call) const {
    dispatch(kind_, call, [&]<ActivationKind kKind, class T>() {
        const T* x = call.inputs[0].as<const T>();
        map(call.outputs[0].as<T>(), call.inputs[0].count(), call.accumulate[0] != 0,
            Value<kKind, T, false>{x, nullptr});
    });
}

void ActivationBackward::run(const KernelCall& call) const {
    dispatch(kind_, call, [&]<ActivationKind kKind, class T>() {
        const T *x = call.inputs[0].as<const T>(), *dy = call.inputs[1].as<const T>();
        map(call.outputs[0].as<T>(), call.inputs[0].count(), call.accumulate[0] != 0,
            Slope<kKind, T, false>{x, dy, nullptr});
    });
}

void GatedActivation::run(const KernelCall& call) const {
    dispatch(kind_, call, [&]<ActivationKind kKind, class T>() {
        const T *gate = call.inputs[0].as<const T>(), *up = call.inputs[1].as<const T>();
        map(call.outputs[0].as<T>(), call.inputs[0].count(), call.accumulate[0] != 0,
            Value<kKind, T, true>{gate, up});
    });
}

void GatedActivationBackward::run(const KernelCall& call) const {
    dispatch(kind_, call, [&]<ActivationKind kKind, class T>() {
        const T *gate = call.inputs[0].as<const T>(), *up = call.inputs[1].as<const T>();
        const T* dy = call.inputs[2].as<const T>();
        const int64_t count = call.inputs[0].count();
        const bool accumulate = call.accumulate[0] != 0;
        if (want_gate_ && want_up_)
            gated_gradients<kKind, T>(call);
        else if (want_gate_)
            map(call.outputs[0].as<T>(), count, accumulate, Slope<kKind, T, true>{gate, dy, up});
        else
            map(call.outputs[0].as<T>(), count, accumulate, Value<kKind, T, true>{gate, dy});
    });
}

}  // namespace headroom
