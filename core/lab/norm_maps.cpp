#include "core/lab/norm_maps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/linalg/lu.h"
#include "core/linalg/svd.h"

namespace headroom {
namespace {

double square(const std::vector<double>& x) {
    return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

double mean_of(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// diag(s) a.
Matrix scaled_rows(const std::vector<double>& s, const Matrix& a) {
    Matrix result = a;
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.cols; ++j) result.at(i, j) *= s[static_cast<size_t>(i)];
    return result;
}

/// Π m Π with Π = I - 1 1^T / d: the map between vectors of mean 0.
Matrix centred(Matrix m) {
    const auto d = static_cast<double>(m.rows);
    for (int64_t i = 0; i < m.rows; ++i) {
        double mean = 0;
        for (int64_t j = 0; j < m.cols; ++j) mean += m.at(i, j) / d;
        for (int64_t j = 0; j < m.cols; ++j) m.at(i, j) -= mean;
    }
    for (int64_t j = 0; j < m.cols; ++j) {
        double mean = 0;
        for (int64_t i = 0; i < m.rows; ++i) mean += m.at(i, j) / d;
        for (int64_t i = 0; i < m.rows; ++i) m.at(i, j) -= mean;
    }
    return m;
}

std::vector<double> layernorm_diagonal(const Matrix& a) {
    Matrix v(a.rows, 1, std::vector<double>(static_cast<size_t>(a.rows), 1.0));
    const LuFactors factors(a);
    if (factors.singular())
        throw UserError("a singular matrix changes no basis", "give an invertible one");
    factors.solve_transposed(v);
    const double length = norm_of(v.values);
    for (double& x : v.values) x /= length;
    const double lambda = 1 / singular_values(centred(scaled_rows(v.values, a))).front();
    for (double& x : v.values) x *= lambda;
    return v.values;
}

double largest_row_sum(const Matrix& a) {
    double largest = 0;
    for (int64_t i = 0; i < a.rows; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < a.cols; ++j) sum += std::abs(a.at(i, j));
        largest = std::max(largest, sum);
    }
    return largest;
}

}  // namespace

const char* name_of(LabNorm norm) {
    if (norm == LabNorm::kLayerNorm) return "LayerNorm";
    return norm == LabNorm::kRmsNorm ? "RMSNorm" : "DyT";
}

double norm_of(const std::vector<double>& x) {
    return std::sqrt(square(x));
}

std::vector<double> times(const Matrix& a, const std::vector<double>& x) {
    std::vector<double> y(static_cast<size_t>(a.rows));
    for (int64_t i = 0; i < a.rows; ++i)
        y[static_cast<size_t>(i)] =
            std::inner_product(x.begin(), x.end(), a.values.begin() + i * a.cols, 0.0);
    return y;
}

std::vector<double> normalised(LabNorm norm, const std::vector<double>& x, double eps) {
    std::vector<double> z = x;
    if (norm == LabNorm::kDyT) {
        for (double& value : z) value = std::tanh(eps * value);
        return z;
    }
    const double mean = norm == LabNorm::kLayerNorm ? mean_of(x) : 0;
    for (double& value : z) value -= mean;
    const double scale = 1 / std::sqrt(square(z) / static_cast<double>(z.size()) + eps);
    for (double& value : z) value *= scale;
    return z;
}

std::vector<double> denormalised(LabNorm norm, const std::vector<double>& z, double eps) {
    std::vector<double> x = z;
    if (norm == LabNorm::kDyT) {
        for (double& value : x) value = std::atanh(value) / eps;
        return x;
    }
    const auto d = static_cast<double>(z.size());
    CHECK(square(z) < d, "a vector in the image of the norm");
    const double scale = std::sqrt(d * eps / (d - square(z)));
    for (double& value : x) value *= scale;
    return x;
}

std::vector<double> SemiConjugacyMap::f(const std::vector<double>& x, double h) const {
    std::vector<double> y = denormalised(norm, times(m0, normalised(norm, x, eps)), eps);
    if (norm == LabNorm::kLayerNorm)
        for (double& value : y) value += h;
    return y;
}

SemiConjugacyMap semi_conjugacy_map(LabNorm norm, const Matrix& a, double eps) {
    SemiConjugacyMap map{norm, eps, {}, {}};
    const auto d = static_cast<size_t>(a.rows);
    if (norm == LabNorm::kLayerNorm)
        map.diagonal = layernorm_diagonal(a);
    else if (norm == LabNorm::kRmsNorm)
        map.diagonal.assign(d, 1 / singular_values(a).front());
    else
        map.diagonal.assign(d, 1 / largest_row_sum(a));
    map.m0 = scaled_rows(map.diagonal, a);
    return map;
}

}  // namespace headroom
