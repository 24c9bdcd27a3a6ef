#include "core/linalg/condition.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/philox.h"
#include "core/cpu/gemm.h"
#include "core/linalg/svd.h"

namespace headroom {
namespace {

constexpr int64_t kAllValues = 256;
constexpr int kMaxSteps = 160, kCheckEvery = 10;
constexpr double kSettled = 1e-7;

using Vector = std::vector<double>;
using Operator = std::function<Vector(const Vector&)>;

void subtract(Vector& a, double factor, const Vector& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] -= factor * b[i];
}

Vector unit(Vector v) {
    const double norm = std::sqrt(dot(v, v));
    for (double& x : v) x /= norm;
    return v;
}

Vector random_direction(size_t n) {
    Vector v(n);
    for (size_t i = 0; i < n; ++i)
        v[i] = static_cast<double>(Philox::block({static_cast<uint32_t>(i), 0, 0, 0}, 1, 2)[0]) /
                   4294967296.0 -
               0.5;
    return unit(std::move(v));
}

/// The largest eigenvalue of a symmetric positive definite tridiagonal matrix.
double largest_of(const Vector& diagonal, const Vector& beside) {
    const auto n = static_cast<int64_t>(diagonal.size());
    Matrix t(n, n);
    for (int64_t i = 0; i < n; ++i) t.at(i, i) = diagonal[static_cast<size_t>(i)];
    for (int64_t i = 0; i + 1 < n; ++i)
        t.at(i, i + 1) = t.at(i + 1, i) = beside[static_cast<size_t>(i)];
    return singular_values(t).front();
}

/// Lanczos 1950, every new direction made orthogonal to all before it.
double largest_eigenvalue(const Operator& apply, size_t n) {
    std::vector<Vector> basis{random_direction(n)};
    Vector diagonal, beside;
    double found = 0;
    for (int step = 1; step <= kMaxSteps; ++step) {
        Vector next = apply(basis.back());
        diagonal.push_back(dot(next, basis.back()));
        for (int pass = 0; pass < 2; ++pass)
            for (const Vector& v : basis) subtract(next, dot(next, v), v);
        const double norm = std::sqrt(dot(next, next));
        const bool exhausted = norm <= 1e-14 * std::abs(diagonal.front());
        if (exhausted || step % kCheckEvery == 0 || step == kMaxSteps) {
            const double value = largest_of(diagonal, beside);
            if (exhausted || std::abs(value - found) <= kSettled * value) return value;
            found = value;
        }
        beside.push_back(norm);
        basis.push_back(unit(std::move(next)));
    }
    return found;
}

Vector times(const Matrix& a, bool turned, const Vector& x) {
    Vector y(x.size());
    if (turned) {
        for (int64_t i = 0; i < a.rows; ++i)
            for (int64_t j = 0; j < a.cols; ++j)
                y[static_cast<size_t>(j)] += a.at(i, j) * x[static_cast<size_t>(i)];
        return y;
    }
    for (int64_t i = 0; i < a.rows; ++i) {
        const double* row = &a.values[static_cast<size_t>(i * a.cols)];
        y[static_cast<size_t>(i)] = std::inner_product(row, row + a.cols, x.begin(), 0.0);
    }
    return y;
}

}  // namespace

double condition_number(const Matrix& a, const LuFactors& factors) {
    if (factors.singular()) return std::numeric_limits<double>::infinity();
    if (a.rows <= kAllValues) {
        const Vector s = singular_values(a);
        return s.back() > 0 ? s.front() / s.back() : std::numeric_limits<double>::infinity();
    }
    const auto n = static_cast<size_t>(a.rows);
    const double largest =
        largest_eigenvalue([&](const Vector& x) { return times(a, true, times(a, false, x)); }, n);
    const double inverse_of_smallest = largest_eigenvalue(
        [&](const Vector& x) {
            Matrix column(a.rows, 1, x);
            factors.solve_transposed(column);
            factors.solve(column);
            return std::move(column.values);
        },
        n);
    return std::sqrt(largest * inverse_of_smallest);
}

double condition_number(const Matrix& a) {
    return condition_number(a, LuFactors(a));
}

}  // namespace headroom
