#include "core/cpu/amx_product.h"
#include "core/cpu/gemm.h"
#include "core/cpu/onednn_product.h"
#include "core/cpu/widened_product.h"

namespace headroom {

Bf16Gemm::Bf16Gemm() = default;
Bf16Gemm::~Bf16Gemm() = default;

bool Bf16Gemm::native() {
    return __builtin_cpu_supports("avx512bf16");
}

template <class C>
void Bf16Gemm::run_any(const GemmShape& shape, const bf16* a, const bf16* b, C* c) {
    const auto run_by = [&](auto& product) {
        using Product = typename std::remove_reference_t<decltype(product)>::element_type;
        if (!product) product = std::make_unique<Product>();
        product->run(shape, a, b, c);
    };
    if (AmxProduct::usable())
        run_by(tiles_);
    else if (native())
        run_by(onednn_);
    else
        run_by(widened_);
}

void Bf16Gemm::run(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c) {
    run_any(shape, a, b, c);
}

void Bf16Gemm::run(const GemmShape& shape, const bf16* a, const bf16* b, float* c) {
    run_any(shape, a, b, c);
}

}  // namespace headroom
