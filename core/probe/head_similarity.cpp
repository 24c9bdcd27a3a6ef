#include "core/probe/head_similarity.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/cpu/gemm.h"
#include "core/cpu/parallel.h"
#include "core/probe/attention_map.h"
#include "core/probe/token_similarity.h"

namespace headroom {
namespace {

void add_mean(NumberArray& sum, const NumberArray& one, int64_t count) {
    for (size_t i = 0; i < sum.values.size(); ++i)
        sum.values[i] += one.values[i] / static_cast<double>(count);
}

NumberArray zeros(int64_t n) {
    return {{n, n}, std::vector<double>(static_cast<size_t>(n * n))};
}

/// G_gh = Σ over the queries of P_g · P_h, in blocks of queries so that no map is held whole.
NumberArray weight_products(const ProbePass& pass, int layer, int64_t b) {
    constexpr int64_t kBlock = 64;
    const int64_t n_head = pass.model().n_head, length = pass.shape().seq_len;
    std::vector<std::optional<AttentionMap>> maps(static_cast<size_t>(n_head));
    for (int64_t h = 0; h < n_head; ++h)
        maps[static_cast<size_t>(h)].emplace(pass, layer, static_cast<int>(h), b);
    NumberArray products = zeros(n_head);
    std::vector<double> weights(static_cast<size_t>(n_head * kBlock * length));
    for (int64_t first = 0; first < length; first += kBlock) {
        const int64_t rows = std::min(kBlock, length - first), width = rows * length;
        parallel_tasks(n_head * rows, [&](int64_t task, int) {
            const int64_t h = task / rows, i = task % rows;
            const std::span<double> row(weights.data() + h * width + i * length,
                                        static_cast<size_t>(length));
            maps[static_cast<size_t>(h)]->weights(first + i, row);
        });
        GemmShape shape{.m = n_head, .n = n_head, .k = width};
        shape.b_transposed = shape.accumulate = true;
        shape.lda = shape.ldb = width;
        shape.ldc = n_head;
        gemm(shape, weights.data(), weights.data(), products.values.data());
    }
    return products;
}

/// Cosines out of scalar products. Weights of a row sum to 1, so that no norm is 0.
NumberArray normalised(const NumberArray& products) {
    const int64_t n = products.shape[0];
    NumberArray out = zeros(n);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            const double norms = std::sqrt(products.at({i, i})) * std::sqrt(products.at({j, j}));
            out.at({i, j}) = out.at({j, i}) =
                i == j ? 1 : std::clamp(products.at({i, j}) / norms, -1.0, 1.0);
        }
    return out;
}

}  // namespace

NumberArray head_cosines(const ProbePass& pass, int layer, HeadPart part) {
    const int64_t n_head = pass.model().n_head, n_batch = pass.shape().batch_size;
    NumberArray mean = zeros(n_head);
    for (int64_t b = 0; b < n_batch; ++b) {
        TokenMatrix heads{n_head, 0, {}};
        for (int64_t h = 0; h < n_head; ++h) {
            const TokenMatrix one = pass.head(layer, static_cast<int>(h), part, b);
            heads.columns = one.rows * one.columns;
            heads.values.insert(heads.values.end(), one.values.begin(), one.values.end());
        }
        add_mean(mean, cosines(heads), n_batch);
    }
    return mean;
}

NumberArray head_weight_cosines(const ProbePass& pass, int layer) {
    const int64_t n_batch = pass.shape().batch_size;
    NumberArray mean = zeros(pass.model().n_head);
    for (int64_t b = 0; b < n_batch; ++b)
        add_mean(mean, normalised(weight_products(pass, layer, b)), n_batch);
    return mean;
}

}  // namespace headroom
