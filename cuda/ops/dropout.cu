#include "core/ops/dropout.h"

#include <array>

#include "core/base/philox.h"
#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/aligned_vectors.h"

namespace headroom::cuda {
namespace {

/// Four packs of a group of 64 elements, 16 apart: W blocks of the generator have the words for
/// them, none of which is made twice.
template <class T, int W>
struct Drop {
    using A = accumulator_t<T>;
    static constexpr int kGroup = DropoutStream::kGroup, kLanes = DropoutStream::kLanes;
    static constexpr int kWords = kGroup / kLanes;
    static constexpr int kParts = kLanes / W;  ///< of a group

    const T* x;
    T* y;
    int64_t count;
    const StepContext* step;
    uint32_t stream, threshold;
    A factor;
    bool accumulate;

    __device__ void operator()(int64_t part) const {
        const DropoutStream random = dropout_stream(*step, stream);
        const int64_t group = part / kParts, lane = part % kParts * W;
        std::array<uint32_t, 4> words[W];
#pragma unroll
        for (int k = 0; k < W; ++k)
            words[k] = Philox::block(
                random.counter(static_cast<uint64_t>(group * kLanes + lane + k)),
                static_cast<uint32_t>(random.seed), static_cast<uint32_t>(random.seed >> 32));
#pragma unroll
        for (int w = 0; w < kWords; ++w) {
            const int64_t first = group * kGroup + w * kLanes + lane;
            if (first + W <= count) {
                AlignedVector<A, W> values = load_wide<W>(x + first);
#pragma unroll
                for (int k = 0; k < W; ++k)
                    values[k] = words[k][w] >= threshold ? values[k] * factor : A(0);
                put(y + first, values, accumulate);
                continue;
            }
#pragma unroll
            for (int k = 0; k < W; ++k)
                if (first + k < count)
                    put(y[first + k],
                        words[k][w] >= threshold ? static_cast<A>(x[first + k]) * factor : A(0),
                        accumulate);
        }
    }
};

template <class T, int W>
void drop(const Call& call, double p, uint32_t stream) {
    using A = accumulator_t<T>;
    const int64_t count = call.inputs[0].count();
    const int64_t groups = (count + Drop<T, W>::kGroup - 1) / Drop<T, W>::kGroup;
    for_each(
        call.stream, groups * Drop<T, W>::kParts,
        Drop<T, W>{call.inputs[0].as<const T>(), call.outputs[0].as<T>(), count, call.step, stream,
                   dropout_threshold(p), static_cast<A>(1.0 / (1.0 - p)), call.accumulate[0] != 0});
}

}  // namespace

static Kernel dropout_kernel(const Op& op, Types) {
    const auto& dropout = dynamic_cast<const Dropout&>(op);
    return [p = dropout.p(), stream = dropout.stream()](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) {
            if (are_aligned(call.inputs[0].as<const T>(), call.outputs[0].as<const T>()))
                drop<T, kFullPack<T>>(call, p, stream);
            else
                drop<T, 1>(call, p, stream);
        });
    };
}

const RegisteredKernel kDropoutKernels[] = {{"dropout", dropout_kernel}};

}  // namespace headroom::cuda
