#include "cuda/gemm/plain_gemm.h"

#include "core/ops/dispatch.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/number.h"

namespace headroom::cuda {
namespace {

template <class In, class Out>
void multiply(const Gemm& p, cudaStream_t stream) {
    using A = accumulator_t<In>;
    const GemmShape s = p.shape;
    const Batch batch = p.batch;
    const In *a = static_cast<const In*>(p.a), *b = static_cast<const In*>(p.b);
    Out* c = static_cast<Out*>(p.c);
    // Where op(A)'s rows and op(B)'s columns begin, and how far apart their numbers are.
    const int64_t row = s.a_transposed ? 1 : s.lda, along_row = s.a_transposed ? s.lda : 1;
    const int64_t column = s.b_transposed ? s.ldb : 1, along_column = s.b_transposed ? 1 : s.ldb;
    for_each(stream, batch.count * s.m * s.n, [=] __device__(int64_t at) {
        const int64_t j = at % s.n, i = at / s.n % s.m, entry = at / s.n / s.m;
        const In* x = a + entry * batch.a + i * row;
        const In* y = b + entry * batch.b + j * column;
        A sum = 0;
        for (int64_t l = 0; l < s.k; ++l)
            sum += static_cast<A>(x[l * along_row]) * static_cast<A>(y[l * along_column]);
        put(c[entry * batch.c + i * s.ldc + j], sum, s.accumulate);
    });
}

}  // namespace

void run_plain_gemm(const Gemm& product, cudaStream_t stream) {
    dispatch_float(product.in, [&]<class In>(In) {
        if (product.out == product.in)
            multiply<In, In>(product, stream);
        else
            multiply<In, accumulator_t<In>>(product, stream);
    });
}

}  // namespace headroom::cuda
