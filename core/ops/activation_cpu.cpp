#include "core/cpu/fetch_rows.h"
#include "core/cpu/parallel.h"
#include "core/cpu/store_each.h"
#include "core/ops/activation.h"
#include "core/ops/activation_map.h"
#include "core/ops/activation_table.h"
#include "core/ops/dispatch.h"

namespace headroom {
namespace {

constexpr int64_t kGrain = 8192;
constexpr int64_t kAhead = 1024;  ///< numbers asked for before they are due

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

/// Whether an activation of stored T is read from its table.
template <ActivationKind kKind, class T>
inline constexpr bool kReadsTable = kWorthATable<kKind>&& std::is_same_v<T, bf16>;

/// y[i] = table at x[i], times factors[i], or y[i] += it, for all i. Outputs may lie where inputs
/// lie.
template <class... Factor>
void map_table(const float* table, const bf16* x, bf16* y, int64_t count, bool accumulate,
               const Factor*... factors) {
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
        int64_t i = begin;
        for (; i + kLanes<float> <= end; i += kLanes<float>) {
            fetch_ahead(kAhead, x + i, (factors + i)...);
            Vector<float> value = look_up(table, x + i);
            ((value *= load_vector(factors + i)), ...);
            store_vector_rounded(y + i, accumulate ? load_vector(y + i) + value : value);
        }
        for (; i < end; ++i) {
            float value = table[x[i].bits];
            ((value *= static_cast<float>(factors[i])), ...);
            y[i] = accumulate ? static_cast<float>(y[i]) + value : value;
        }
    });
}

/// y = act(x), times up where there is one.
template <ActivationKind kKind, class T, bool kGated>
void map_value(const T* x, const T* up, const KernelCall& call) {
    T* y = call.outputs[0].as<T>();
    const int64_t count = call.inputs[0].count();
    const bool accumulate = call.accumulate[0] != 0;
    if constexpr (!kReadsTable<kKind, T>)
        map(y, count, accumulate, Value<kKind, T, kGated>{x, up});
    else if constexpr (kGated)
        map_table(ActivationTable<kKind>::get().values(), x, y, count, accumulate, up);
    else
        map_table(ActivationTable<kKind>::get().values(), x, y, count, accumulate);
}

/// dx = act'(x) dy, times up where there is one.
template <ActivationKind kKind, class T, bool kGated>
void map_slope(const T* x, const T* dy, const T* up, const KernelCall& call) {
    T* dx = call.outputs[0].as<T>();
    const int64_t count = call.inputs[0].count();
    const bool accumulate = call.accumulate[0] != 0;
    if constexpr (!kReadsTable<kKind, T>)
        map(dx, count, accumulate, Slope<kKind, T, kGated>{x, dy, up});
    else if constexpr (kGated)
        map_table(ActivationTable<kKind>::get().slopes(), x, dx, count, accumulate, dy, up);
    else
        map_table(ActivationTable<kKind>::get().slopes(), x, dx, count, accumulate, dy);
}

/// Calls f<kind, T>() for the activation and the storage type of the first input.
template <class F>
void dispatch(ActivationKind kind, const KernelCall& call, F&& f) {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
        with_activation(kind, [&]<ActivationKind kKind>() { f.template operator()<kKind, T>(); });
    });
}

template <ActivationKind kKind, class T>
Activated<accumulator_t<T>> activated(T x) {
    if constexpr (kReadsTable<kKind, T>) {
        const ActivationTable<kKind>& table = ActivationTable<kKind>::get();
        return {table.values()[x.bits], table.slopes()[x.bits]};
    } else {
        return activate<kKind>(static_cast<accumulator_t<T>>(x));
    }
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
        if constexpr (kReadsTable<kKind, T>) {
            const ActivationTable<kKind>& table = ActivationTable<kKind>::get();
            for (; begin + kLanes<A> <= end; begin += kLanes<A>) {
                fetch_ahead(kAhead, gate + begin, up + begin, dy + begin);
                const Vector<A> d = load_vector(dy + begin);
                const Vector<A> dg =
                    look_up(table.slopes(), gate + begin) * load_vector(up + begin) * d;
                const Vector<A> du = look_up(table.values(), gate + begin) * d;
                const Vector<A> old_gate = load_vector(dgate + begin),
                                old_up = load_vector(dup + begin);
                store_vector_rounded(dgate + begin, keep_gate == A{0} ? dg : old_gate + dg);
                store_vector_rounded(dup + begin, keep_up == A{0} ? du : old_up + du);
            }
        } else if (overwrite) {
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
            const auto act = activated<kKind>(gate[i]);
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
        map_value<kKind, T, false>(call.inputs[0].as<const T>(), nullptr, call);
    });
}

void ActivationBackward::run(const KernelCall& call) const {
    dispatch(kind_, call, [&]<ActivationKind kKind, class T>() {
        map_slope<kKind, T, false>(call.inputs[0].as<const T>(), call.inputs[1].as<const T>(),
                                   nullptr, call);
    });
}

void GatedActivation::run(const KernelCall& call) const {
    dispatch(kind_, call, [&]<ActivationKind kKind, class T>() {
        map_value<kKind, T, true>(call.inputs[0].as<const T>(), call.inputs[1].as<const T>(), call);
    });
}

void GatedActivationBackward::run(const KernelCall& call) const {
    dispatch(kind_, call, [&]<ActivationKind kKind, class T>() {
        const T *gate = call.inputs[0].as<const T>(), *up = call.inputs[1].as<const T>();
        const T* dy = call.inputs[2].as<const T>();
        if (want_gate_ && want_up_)
            gated_gradients<kKind, T>(call);
        else if (want_gate_)
            map_slope<kKind, T, true>(gate, dy, up, call);
        else
            map_value<kKind, T, true>(gate, dy, call);
    });
}

}  // namespace headroom
