#include "core/cpu/parallel.h"
#include "core/ops/dispatch.h"
#include "core/ops/patches.h"
#include "core/ops/store.h"

namespace headroom {
namespace {

constexpr int64_t kPatchGrain = 16;

/// The tables of a call: null where there is none.
template <class A>
struct PatchTables {
    const A* token = nullptr;
    const A* positions = nullptr;

    PatchTables(const KernelCall& call, const PlacePatchesOptions& options) {
        if (options.class_token) token = call.inputs[1].as<const A>();
        if (options.positions) positions = call.inputs.back().as<const A>();
    }
};

template <class T>
void place_patches(const KernelCall& call, const PlacePatchesOptions& options) {
    using A = accumulator_t<T>;
    const Tensor &p = call.inputs[0], &x = call.outputs[0];
    const PatchTables<A> tables(call, options);
    const int64_t length = x.type.shape[1], width = x.columns(), first = options.class_token;
    const bool accumulate = call.accumulate[0] != 0;
    parallel_for(x.rows(), kPatchGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const int64_t b = row / length, t = row % length;
            const T* patch = p.as<const T>() + (b * (length - first) + t - first) * width;
            const A* place = tables.positions == nullptr ? nullptr : tables.positions + t * width;
            T* y = x.as<T>() + row * width;
            for (int64_t c = 0; c < width; ++c) {
                A value = t < first ? tables.token[c] : static_cast<A>(patch[c]);
                if (place != nullptr) value += place[c];
                store(y[c], value, accumulate);
            }
        }
    });
}

template <class T>
void take_patch_gradients(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor &dx = call.inputs[0], &dp = call.outputs[0];
    const int64_t patches = dp.type.shape[1], width = dp.columns();
    const bool accumulate = call.accumulate[0] != 0;
    parallel_for(dp.rows(), kPatchGrain, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            const int64_t from = row + row / patches + 1;
            for (int64_t c = 0; c < width; ++c)
                store(dp.as<T>()[row * width + c],
                      static_cast<A>(dx.as<const T>()[from * width + c]), accumulate);
        }
    });
}

/// Every thread adds its own columns, in the order of the batch.
template <class T>
void sum_token_gradients(const KernelCall& call) {
    using A = accumulator_t<T>;
    const Tensor& dx = call.inputs[0];
    const int64_t stride = dx.type.shape[1] * dx.columns();
    parallel_for(dx.columns(), kPatchGrain, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
            A sum = 0;
            for (int64_t b = 0; b < dx.type.shape[0]; ++b)
                sum += static_cast<A>(dx.as<const T>()[b * stride + c]);
            store(call.outputs[0].as<A>()[c], sum, call.accumulate[0] != 0);
        }
    });
}

}  // namespace

void PlacePatches::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { place_patches<T>(call, options_); });
}
/// Element by element, straight from the definition.
void PlacePatches::run_reference(const KernelCall& call) const {
    const Tensor &p = call.inputs[0], &x = call.outputs[0];
    dispatch_float(x.type.dtype, [&]<class T>(T) {
        using A = accumulator_t<T>;
        const int64_t length = x.type.shape[1], width = x.columns(), first = options_.class_token;
        for (int64_t i = 0; i < x.count(); ++i) {
            const int64_t b = i / width / length, t = i / width % length, c = i % width;
            double value = 0;
            if (t < first)
                value = static_cast<double>(call.inputs[1].as<const A>()[c]);
            else
                value = static_cast<double>(
                    p.as<const T>()[(b * (length - first) + t - first) * width + c]);
            if (options_.positions)
                value += static_cast<double>(call.inputs.back().as<const A>()[t * width + c]);
            store(x.as<T>()[i], value, call.accumulate[0] != 0);
        }
    });
}

void PlacePatchesBackwardPatches::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { take_patch_gradients<T>(call); });
}
void PlacePatchesBackwardPatches::run_reference(const KernelCall& call) const {
    const Tensor &dx = call.inputs[0], &dp = call.outputs[0];
    dispatch_float(dx.type.dtype, [&]<class T>(T) {
        const int64_t patches = dp.type.shape[1], width = dp.columns();
        for (int64_t i = 0; i < dp.count(); ++i) {
            const int64_t b = i / width / patches, t = i / width % patches, c = i % width;
            store(dp.as<T>()[i],
                  static_cast<double>(dx.as<const T>()[(b * (patches + 1) + 1 + t) * width + c]),
                  call.accumulate[0] != 0);
        }
    });
}

void PlacePatchesBackwardToken::run(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { sum_token_gradients<T>(call); });
}
void PlacePatchesBackwardToken::run_reference(const KernelCall& call) const {
    const Tensor& dx = call.inputs[0];
    dispatch_float(dx.type.dtype, [&]<class T>(T) {
        const int64_t length = dx.type.shape[1], width = dx.columns();
        for (int64_t c = 0; c < width; ++c) {
            double sum = 0;
            for (int64_t b = 0; b < dx.type.shape[0]; ++b)
                sum += static_cast<double>(dx.as<const T>()[b * length * width + c]);
            store(call.outputs[0].as<accumulator_t<T>>()[c], sum, call.accumulate[0] != 0);
        }
    });
}

}  // namespace headroom
