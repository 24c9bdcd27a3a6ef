#include "core/cpu/onednn_product.h"

#include <vector>

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>

#include "core/base/error.h"

namespace headroom {
namespace {

void check_dnnl(dnnl_status_t status, const char* call) {
    if (status == dnnl_success) return;
    throw EnvironmentError(
        fmt::format("oneDNN: {} failed with status {}", call, static_cast<int>(status)),
        "use \"precision\": \"float32\" on this processor");
}

dnnl_memory_desc_t describe(int64_t rows, int64_t columns, int64_t stride, bool transposed,
                            dnnl_data_type_t type) {
    const dnnl_dims_t dims = {rows, columns};
    const dnnl_dims_t strides = {transposed ? 1 : stride, transposed ? stride : 1};
    dnnl_memory_desc_t desc;
    check_dnnl(dnnl_memory_desc_init_by_strides(&desc, 2, dims, type, strides), "memory_desc_init");
    return desc;
}

/// One product of a fixed shape: the primitive and the memory objects that point at its arguments.
struct Gemm {
    GemmShape shape;
    bool float_output = false;
    dnnl_primitive_t primitive = nullptr;
    dnnl_memory_t a = nullptr, b = nullptr, c = nullptr;

    Gemm(const GemmShape& s, bool to_float, dnnl_engine_t engine)
        : shape(s), float_output(to_float) {
        const dnnl_memory_desc_t a_desc = describe(s.m, s.k, s.lda, s.a_transposed, dnnl_bf16);
        const dnnl_memory_desc_t b_desc = describe(s.k, s.n, s.ldb, s.b_transposed, dnnl_bf16);
        const dnnl_memory_desc_t c_desc =
            describe(s.m, s.n, s.ldc, false, to_float ? dnnl_f32 : dnnl_bf16);
        dnnl_matmul_desc_t matmul;
        check_dnnl(dnnl_matmul_desc_init(&matmul, &a_desc, &b_desc, nullptr, &c_desc),
                   "matmul_desc_init");
        dnnl_primitive_attr_t attributes = nullptr;
        dnnl_post_ops_t post_ops = nullptr;
        check_dnnl(dnnl_primitive_attr_create(&attributes), "primitive_attr_create");
        if (s.accumulate) {
            check_dnnl(dnnl_post_ops_create(&post_ops), "post_ops_create");
            check_dnnl(dnnl_post_ops_append_sum(post_ops, 1.0f), "post_ops_append_sum");
            check_dnnl(dnnl_primitive_attr_set_post_ops(attributes, post_ops), "set_post_ops");
        }
        dnnl_primitive_desc_t desc = nullptr;
        check_dnnl(dnnl_primitive_desc_create(&desc, &matmul, attributes, engine, nullptr),
                   "primitive_desc_create");
        check_dnnl(dnnl_primitive_create(&primitive, desc), "primitive_create");
        dnnl_primitive_desc_destroy(desc);
        dnnl_primitive_attr_destroy(attributes);
        if (post_ops != nullptr) dnnl_post_ops_destroy(post_ops);
        check_dnnl(dnnl_memory_create(&a, &a_desc, engine, DNNL_MEMORY_NONE), "memory_create");
        check_dnnl(dnnl_memory_create(&b, &b_desc, engine, DNNL_MEMORY_NONE), "memory_create");
        check_dnnl(dnnl_memory_create(&c, &c_desc, engine, DNNL_MEMORY_NONE), "memory_create");
    }
    ~Gemm() {
        for (dnnl_memory_t memory : {a, b, c})
            if (memory != nullptr) dnnl_memory_destroy(memory);
        if (primitive != nullptr) dnnl_primitive_destroy(primitive);
    }
    Gemm(const Gemm&) = delete;
    Gemm& operator=(const Gemm&) = delete;
};

}  // namespace

struct OneDnnProduct::Cache {
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
    std::vector<std::unique_ptr<Gemm>> products;

    Cache() {
        check_dnnl(dnnl_engine_create(&engine, dnnl_cpu, 0), "engine_create");
        check_dnnl(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "stream_create");
    }
    ~Cache() {
        products.clear();
        if (stream != nullptr) dnnl_stream_destroy(stream);
        if (engine != nullptr) dnnl_engine_destroy(engine);
    }
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    Gemm& find_or_make(const GemmShape& shape, bool float_output) {
        for (const auto& product : products)
            if (product->shape == shape && product->float_output == float_output) return *product;
        products.push_back(std::make_unique<Gemm>(shape, float_output, engine));
        return *products.back();
    }

    void execute(const GemmShape& shape, bool float_output, const bf16* a, const bf16* b, void* c) {
        const Gemm& product = find_or_make(shape, float_output);
        check_dnnl(dnnl_memory_set_data_handle(product.a, const_cast<bf16*>(a)), "set_handle");
        check_dnnl(dnnl_memory_set_data_handle(product.b, const_cast<bf16*>(b)), "set_handle");
        check_dnnl(dnnl_memory_set_data_handle(product.c, c), "set_handle");
        const dnnl_exec_arg_t arguments[] = {
            {DNNL_ARG_SRC, product.a}, {DNNL_ARG_WEIGHTS, product.b}, {DNNL_ARG_DST, product.c}};
        check_dnnl(dnnl_primitive_execute(product.primitive, stream, 3, arguments),
                   "primitive_execute");
        check_dnnl(dnnl_stream_wait(stream), "stream_wait");
    }
};

OneDnnProduct::OneDnnProduct() : cache_(std::make_unique<Cache>()) {}
OneDnnProduct::~OneDnnProduct() = default;

void OneDnnProduct::run(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c) {
    cache_->execute(shape, false, a, b, c);
}

void OneDnnProduct::run(const GemmShape& shape, const bf16* a, const bf16* b, float* c) {
    cache_->execute(shape, true, a, b, c);
}

}  // namespace headroom
