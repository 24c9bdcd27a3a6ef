#include "core/ops/cast.h"

#include <type_traits>

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/aligned_vectors.h"

namespace headroom::cuda {
namespace {

template <class From, class To>
struct CastPacks {
    const From* x;
    To* y;
    bool accumulate;

    template <int W>
    __device__ void at(int64_t first) const {
        put(y + first, load_wide<W>(x + first), accumulate);
    }
};

/// In packs of which the wider numbers take 16 bytes.
template <class From, class To>
void cast(const Call& call) {
    using Wider = std::conditional_t<(sizeof(From) > sizeof(To)), From, To>;
    const From* x = call.inputs[0].as<const From>();
    To* y = call.outputs[0].as<To>();
    for_packs<Wider>(call.stream, call.inputs[0].count(), are_aligned(x, y),
                     CastPacks<From, To>{x, y, call.accumulate[0] != 0});
}

}  // namespace

static Kernel cast_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class From>(From) {
            dispatch_float(call.outputs[0].type.dtype, [&]<class To>(To) { cast<From, To>(call); });
        });
    };
}

const RegisteredKernel kCastKernels[] = {{"cast", cast_kernel}};

}  // namespace headroom::cuda
