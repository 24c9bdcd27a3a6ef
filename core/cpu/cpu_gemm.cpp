#include <numeric>

#include "core/cpu/amx_product.h"
#include "core/cpu/gemm.h"
#include "core/cpu/onednn_product.h"
#include "core/cpu/squared_norm.h"
#include "core/cpu/widened_product.h"

namespace headroom {
namespace {

/// By a product that is made on its first use.
template <class Product, class... Arguments>
void run_by(std::unique_ptr<Product>& product, const GemmShape& shape, Arguments... arguments) {
    if (!product) product = std::make_unique<Product>();
    product->run(shape, arguments...);
}

}  // namespace

CpuGemm::CpuGemm() = default;
CpuGemm::~CpuGemm() = default;

bool CpuGemm::native_bf16() {
    return __builtin_cpu_supports("avx512bf16");
}

void CpuGemm::run(const GemmShape& shape, const float* a, const float* b, float* c) {
    if (AmxProduct::worth_it(shape))
        run_by(tiles_, shape, a, b, c);
    else
        gemm(shape, a, b, c);
}

template <class C>
void CpuGemm::run_bf16(const GemmShape& shape, const bf16* a, const bf16* b, C* c) {
    if (AmxProduct::usable())
        run_by(tiles_, shape, a, b, c);
    else if (native_bf16())
        run_by(onednn_, shape, a, b, c);
    else
        run_by(widened_, shape, a, b, c);
}

void CpuGemm::run(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c) {
    run_bf16(shape, a, b, c);
}
void CpuGemm::run(const GemmShape& shape, const bf16* a, const bf16* b, float* c) {
    run_bf16(shape, a, b, c);
}

double CpuGemm::run_with_norm(const GemmShape& shape, const bf16* a, const bf16* b, float* c,
                              double* scratch) {
    if (!AmxProduct::usable() || !AmxProduct::tells_squared_norms(shape)) {
        run(shape, a, b, c);
        return squared_norm(c, shape.m * shape.n, scratch);
    }
    run_by(tiles_, shape, a, b, c, scratch);
    return std::accumulate(scratch, scratch + norm_scratch(shape), 0.0);
}

}  // namespace headroom
