#include "core/probe/token_similarity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/cpu/gemm.h"
#include "core/cpu/parallel.h"
#include "core/linalg/svd.h"

namespace headroom {
namespace {

bool is_finite(const TokenMatrix& x) {
    return std::all_of(x.values.begin(), x.values.end(), [](double v) { return std::isfinite(v); });
}

double norm(std::span<const double> x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

/// Rows of length 1, and those of norm 0 as they are.
TokenMatrix unit_rows(const TokenMatrix& x) {
    TokenMatrix unit = x;
    parallel_for(x.rows, 16, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const double length = norm(x.row(i));
            if (length == 0) continue;
            double* row = unit.values.data() + i * x.columns;
            for (int64_t c = 0; c < x.columns; ++c) row[c] /= length;
        }
    });
    return unit;
}

/// Takes the mean of every column out of it.
void centre(TokenMatrix& x) {
    std::vector<double> mean(static_cast<size_t>(x.columns));
    for (int64_t i = 0; i < x.rows; ++i)
        for (size_t c = 0; c < mean.size(); ++c)
            mean[c] += x.row(i)[c] / static_cast<double>(x.rows);
    for (int64_t i = 0; i < x.rows; ++i) {
        double* row = x.values.data() + i * x.columns;
        for (size_t c = 0; c < mean.size(); ++c) row[c] -= mean[c];
    }
}

/// ‖XᵀY‖_F
double cross_norm(const TokenMatrix& x, const TokenMatrix& y, std::vector<double>& product) {
    product.resize(static_cast<size_t>(x.columns * y.columns));
    GemmShape shape{.m = x.columns, .n = y.columns, .k = x.rows};
    shape.a_transposed = true;
    shape.lda = x.columns;
    shape.ldb = shape.ldc = y.columns;
    gemm(shape, x.values.data(), y.values.data(), product.data());
    return norm(product);
}

double cka(double cross, double own_x, double own_y) {
    if (own_x == 0 || own_y == 0) return 0;
    const double root = cross / own_x / own_y;
    return root * root;
}

/// √‖XᵀX‖_F of every matrix, what cka() divides by.
std::vector<double> own_norms(const std::vector<TokenMatrix>& matrices,
                              std::vector<double>& product) {
    std::vector<double> norms;
    for (const TokenMatrix& x : matrices) norms.push_back(std::sqrt(cross_norm(x, x, product)));
    return norms;
}

}  // namespace

NumberArray cosines(const TokenMatrix& x) {
    const TokenMatrix unit = unit_rows(x);
    const int64_t n = x.rows;
    NumberArray out{{n, n}, std::vector<double>(static_cast<size_t>(n * n))};
    GemmShape shape{.m = n, .n = n, .k = x.columns};
    shape.b_transposed = true;
    shape.lda = shape.ldb = x.columns;
    shape.ldc = n;
    gemm(shape, unit.values.data(), unit.values.data(), out.values.data());
    for (int64_t i = 0; i < n; ++i) {
        if (out.at({i, i}) > 0) out.at({i, i}) = 1;
        for (int64_t j = 0; j < i; ++j)
            out.at({i, j}) = out.at({j, i}) = std::clamp(out.at({i, j}), -1.0, 1.0);
    }
    return out;
}

/// The sum over all pairs is the squared norm of the sum of the unit rows.
double mean_cosine(const TokenMatrix& x) {
    if (x.rows < 2) return std::nan("");
    const TokenMatrix unit = unit_rows(x);
    std::vector<double> sum(static_cast<size_t>(x.columns));
    double diagonal = 0;
    for (int64_t i = 0; i < x.rows; ++i) {
        const std::span<const double> row = unit.row(i);
        for (size_t c = 0; c < sum.size(); ++c) sum[c] += row[c];
        diagonal += std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
    }
    const double all = std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0);
    const auto n = static_cast<double>(x.rows);
    return (all - diagonal) / (n * (n - 1));
}

double effective_rank(const TokenMatrix& x) {
    if (!is_finite(x)) return std::nan("");
    const std::vector<double> values = singular_values(Matrix(x.rows, x.columns, x.values));
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    if (!(sum > 0)) return std::nan("");
    double entropy = 0;
    for (const double value : values) {
        const double p = value / sum;
        if (p > 0) entropy -= p * std::log(p);
    }
    return std::exp(entropy);
}

NumberArray linear_cka(std::vector<TokenMatrix> a, std::vector<TokenMatrix> b) {
    for (TokenMatrix& x : a) centre(x);
    for (TokenMatrix& x : b) centre(x);
    std::vector<double> product;
    const std::vector<double> own_a = own_norms(a, product), own_b = own_norms(b, product);
    NumberArray out{{static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size())}, {}};
    for (size_t i = 0; i < a.size(); ++i)
        for (size_t j = 0; j < b.size(); ++j) {
            CHECK(a[i].rows == b[j].rows, "CKA of the same tokens");
            out.values.push_back(cka(cross_norm(a[i], b[j], product), own_a[i], own_b[j]));
        }
    return out;
}

NumberArray linear_cka(std::vector<TokenMatrix> x) {
    for (TokenMatrix& matrix : x) centre(matrix);
    std::vector<double> product;
    const std::vector<double> own = own_norms(x, product);
    const auto n = static_cast<int64_t>(x.size());
    NumberArray out = NumberArray::unknown({n, n});
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j <= i; ++j) {
            const auto s = static_cast<size_t>(i), t = static_cast<size_t>(j);
            const double cross = i == j ? own[s] * own[s] : cross_norm(x[s], x[t], product);
            out.at({i, j}) = out.at({j, i}) = cka(cross, own[s], own[t]);
        }
    return out;
}

}  // namespace headroom
