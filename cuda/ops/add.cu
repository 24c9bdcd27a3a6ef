#include "core/ops/add.h"

#include "core/ops/dispatch.h"
#include "cuda/kernels.h"
#include "cuda/primitives/aligned_vectors.h"

namespace headroom::cuda {
namespace {

struct Sum {
    template <class A>
    __device__ A operator()(const A (&x)[2]) const {
        return x[0] + x[1];
    }
};

template <class T>
void add(const Call& call) {
    map_packs(call.stream, call.inputs[0].count(), call.outputs[0].as<T>(), call.accumulate[0] != 0,
              Sum{}, call.inputs[0].as<const T>(), call.inputs[1].as<const T>());
}

}  // namespace

static Kernel add_kernel(const Op&, Types) {
    return [](const Call& call) {
        dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { add<T>(call); });
    };
}

const RegisteredKernel kAddKernels[] = {{"add", add_kernel}};

}  // namespace headroom::cuda
