#pragma once

#include "core/cpu/vector_math.h"
#include "core/ops/activation.h"

namespace headroom {

/// An activation and its derivative at one point. Without branches, for vectorised loops; what the
/// caller does not use costs nothing.
template <class A>
struct Activated {
    A value, slope;
};

template <ActivationKind kKind, class A>
[[gnu::always_inline]] inline Activated<A> activate(A x) {
    if constexpr (kKind == ActivationKind::kGelu) {
        // Φ(x) + x φ(x), Φ and φ the normal distribution and its density.
        const vmath::Normal<A> normal = vmath::normal(x);
        return {x * normal.cdf, normal.cdf + x * normal.density};
    } else if constexpr (kKind == ActivationKind::kGeluTanh) {
        // (1 + tanh u) / 2 = sigmoid(2 u) =: s, so the value is x s and its slope s + x s' .
        constexpr A kSlope = A(1.59576912160573071176), kCubic = A(0.044715);  // 2 √(2/π)
        const A s = vmath::sigmoid(kSlope * (x + kCubic * x * x * x));
        return {x * s, s + x * s * (A{1} - s) * kSlope * (A{1} + A{3} * kCubic * x * x)};
    } else if constexpr (kKind == ActivationKind::kRelu) {
        return {x > A{0} ? x : A{0}, x > A{0} ? A{1} : A{0}};
    } else if constexpr (kKind == ActivationKind::kRelu2) {
        const A positive = x > A{0} ? x : A{0};
        return {positive * positive, A{2} * positive};
    } else {
        const A s = vmath::sigmoid(x);
        return {x * s, s + x * s * (A{1} - s)};
    }
}

/// Calls f.template operator()<kind>().
template <class F>
void with_activation(ActivationKind kind, F&& f) {
    switch (kind) {
        case ActivationKind::kGelu:
            return f.template operator()<ActivationKind::kGelu>();
        case ActivationKind::kGeluTanh:
            return f.template operator()<ActivationKind::kGeluTanh>();
        case ActivationKind::kRelu:
            return f.template operator()<ActivationKind::kRelu>();
        case ActivationKind::kRelu2:
            return f.template operator()<ActivationKind::kRelu2>();
        case ActivationKind::kSilu:
            return f.template operator()<ActivationKind::kSilu>();
    }
}

}  // namespace headroom
