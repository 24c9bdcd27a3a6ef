#include <algorithm>
#include <cmath>

#include "core/cpu/cpu_context.h"
#include "core/cpu/fetch_rows.h"
#include "core/cpu/store_each.h"
#include "core/cpu/store_panels.h"
#include "core/ops/adamw.h"
#include "core/ops/dispatch.h"
#include "core/ops/told_norm.h"

namespace headroom {
namespace {

constexpr int64_t kPiece = 16384;  // elements a thread takes at least
constexpr int64_t kBlock = 2048;   // updated in one go: still in the first cache when copied
/// Numbers of each tensor that are asked for together, and how long before they are updated: the
/// processor foresees no page but the one that is read.
constexpr int64_t kTogether = 64, kAhead = 512;

struct Rates {
    double keep;          // 1 - lr * weight_decay
    double step_size;     // lr / (1 - beta1^t)
    double second_scale;  // 1 / sqrt(1 - beta2^t)
    double clip;
};

template <class T>
void update(const AdamWOptions& o, const Rates& rates, const T* g, T* w, T* m, T* v,
            int64_t count) {
    const T beta1 = static_cast<T>(o.beta1), beta2 = static_cast<T>(o.beta2);
    const T one_minus_beta1 = static_cast<T>(1 - o.beta1);
    const T one_minus_beta2 = static_cast<T>(1 - o.beta2);
    const T keep = static_cast<T>(rates.keep), step_size = static_cast<T>(rates.step_size);
    const T scale = static_cast<T>(rates.second_scale), clip = static_cast<T>(rates.clip);
    const T eps = static_cast<T>(o.eps);
    for (int64_t begin = 0; begin < count; begin += kTogether) {
        const int64_t end = std::min(count, begin + kTogether);
        for (const T* x :
             {g, static_cast<const T*>(w), static_cast<const T*>(m), static_cast<const T*>(v)})
            fetch_rows(x + begin + kAhead, 0, 1, kTogether);
#pragma omp simd
        for (int64_t i = begin; i < end; ++i) {
            const T gradient = g[i] * clip;
            m[i] = beta1 * m[i] + one_minus_beta1 * gradient;
            v[i] = beta2 * v[i] + one_minus_beta2 * gradient * gradient;
            w[i] = w[i] * keep - step_size * m[i] / (std::sqrt(v[i]) * scale + eps);
        }
    }
}

}  // namespace

int64_t GradientNorm::workspace_bytes(std::span<const TensorType> inputs, int) const {
    int64_t most = 0;
    for (const TensorType& type : inputs) most = std::max(most, squared_norm_scratch(type.count()));
    return most * static_cast<int64_t>(sizeof(double));
}

void GradientNorm::run(const KernelCall& call) const {
    auto* scratch = reinterpret_cast<double*>(call.workspace.data());
    double total = told(call);
    for (const Tensor& gradient : call.inputs.first(call.inputs.size() - told_)) {
        if (gradient.type.dtype == DType::kF64)
            total += squared_norm(gradient.as<const double>(), gradient.count(), scratch);
        else
            total += squared_norm(gradient.as<const float>(), gradient.count(), scratch);
    }
    store(*call.outputs[0].as<double>(), std::sqrt(total), call.accumulate[0] != 0);
}

void GradientNorm::run_reference(const KernelCall& call) const {
    double total = told(call);
    for (const Tensor& gradient : call.inputs.first(call.inputs.size() - told_))
        total += reference_squared_norm(gradient);
    store(*call.outputs[0].as<double>(), std::sqrt(total), call.accumulate[0] != 0);
}

/// The sum of the norms that were told; what only rounding keeps above zero is zero.
double GradientNorm::told(const KernelCall& call) const {
    double sum = 0;
    for (const Tensor& norm : call.inputs.last(told_)) sum += *norm.as<const double>();
    return sum < 0 ? 0 : sum;
}

void AdamW::run(const KernelCall& call) const {
    const double norm = *call.inputs[1].as<const double>();
    if (!std::isfinite(norm)) return;
    const auto t = static_cast<double>(call.step.step);
    const bool clipped = options_.grad_clip > 0;
    const double lr = call.step.lr * options_.lr_scale;
    const Rates rates{1.0 - lr * options_.weight_decay, lr / (1.0 - std::pow(options_.beta1, t)),
                      1.0 / std::sqrt(1.0 - std::pow(options_.beta2, t)),
                      clipped ? std::min(1.0, options_.grad_clip / (norm + 1e-6)) : 1.0};
    const Tensor &g = call.inputs[0], &w = call.outputs[0];
    const Tensor &m = call.outputs[1], &v = call.outputs[2];
    const auto update_part = [&]<class T>(T, int64_t i, int64_t count) {
        update(options_, rates, g.as<const T>() + i, w.as<T>() + i, m.as<T>() + i, v.as<T>() + i,
               count);
    };
    const auto with = [&]<class T>(T type, auto* copy) {
        parallel_for(g.count(), kPiece, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; i += kBlock) {
                const int64_t count = std::min(kBlock, end - i);
                update_part(type, i, count);
                if (copy != nullptr) store_rounded(w.as<const T>() + i, count, copy + i);
            }
        });
    };
    // Two rows, so that a column's numbers can be put beside each other.
    const auto with_panels = [&]<class T>(T type, bf16* panels) {
        const int64_t rows = w.rows(), columns = w.columns();
        const int64_t grain = std::max<int64_t>(kPiece / (2 * columns), 1);
        parallel_for(rows / 2, grain, [&](int64_t begin, int64_t end) {
            for (int64_t r = 2 * begin; r < 2 * end; r += 2)
                for (int64_t c = 0; c < columns; c += kBlock / 2) {
                    const int64_t count = std::min(kBlock / 2, columns - c), i = r * columns + c;
                    update_part(type, i, count);
                    update_part(type, i + columns, count);
                    const T* upper = w.as<const T>() + i;
                    store_pair_in_panels(upper, upper + columns, count, false, panels, rows, r, c);
                }
            finish_past_cache();
        });
    };
    const auto with_copy = [&](auto type) {
        if (!copy_) return with(type, static_cast<decltype(type)*>(nullptr));
        if (call.outputs[3].type.layout == MemoryLayout::kPanels)
            return with_panels(type, call.outputs[3].as<bf16>());
        dispatch_float(*copy_, [&]<class C>(C) { with(type, call.outputs[3].as<C>()); });
    };
    if (g.type.dtype == DType::kF64)
        with_copy(double{});
    else
        with_copy(float{});
}

}  // namespace headroom
