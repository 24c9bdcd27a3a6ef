#include "core/linalg/svd.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cpu/blas_library.h"

namespace headroom {
namespace {

BlasLibrary::Dgesdd lapack() {
    return openblas() == nullptr ? nullptr : openblas()->dgesdd;
}

struct LapackCall {
    const char* vectors;  ///< "S": as many as there are values; "N": none
    int left, right;      ///< strides of u and vt
    double *s, *u, *vt;
};

/// LAPACK reads columns where we write rows, so it sees a^T = v diag(s) u^T: its left vectors, read
/// by us, are vt, and its right ones u.
void run_lapack(const Matrix& a, const LapackCall& call, BlasLibrary::Dgesdd dgesdd) {
    const auto m = static_cast<int>(a.cols), n = static_cast<int>(a.rows);
    std::vector<double> copy = a.values, work(1);
    std::vector<int> integers(8 * static_cast<size_t>(std::min(m, n)));
    int work_size = -1, info = 0;
    const auto run = [&] {
        dgesdd(call.vectors, &m, &n, copy.data(), &m, call.s, call.vt, &call.left, call.u,
               &call.right, work.data(), &work_size, integers.data(), &info, 1);
    };
    run();  // asks how much workspace it wants
    work_size = static_cast<int>(work[0]);
    work.resize(static_cast<size_t>(work_size));
    run();
    if (info != 0)
        throw EnvironmentError(fmt::format("LAPACK's dgesdd ended with info = {}", info),
                               "look at the weights for absurd numbers");
}

Svd svd_lapack(const Matrix& a, BlasLibrary::Dgesdd dgesdd) {
    const int64_t k = std::min(a.rows, a.cols);
    Svd result{Matrix(a.rows, k), std::vector<double>(static_cast<size_t>(k)), Matrix(k, a.cols)};
    run_lapack(a,
               {"S", static_cast<int>(a.cols), static_cast<int>(k), result.s.data(),
                result.u.values.data(), result.vt.values.data()},
               dgesdd);
    return result;
}

void require_finite(const Matrix& a) {
    if (!std::all_of(a.values.begin(), a.values.end(), [](double x) { return std::isfinite(x); }))
        throw UserError("a matrix to decompose has numbers that are not finite",
                        "take a checkpoint from before the run diverged");
}

double row_product(const double* a, const double* b, int64_t n) {
    return std::inner_product(a, a + n, b, 0.0);
}

void rotate(double* a, double* b, int64_t n, double c, double s) {
    for (int64_t i = 0; i < n; ++i) {
        const double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

/// Makes rows p and q of `work` orthogonal and turns `v` along; false if they are already.
bool make_orthogonal(Matrix& work, Matrix& v, int64_t p, int64_t q) {
    constexpr double kTolerance = 1e-15;
    double* a = &work.values[static_cast<size_t>(p * work.cols)];
    double* b = &work.values[static_cast<size_t>(q * work.cols)];
    const double aa = row_product(a, a, work.cols), bb = row_product(b, b, work.cols),
                 ab = row_product(a, b, work.cols);
    if (ab == 0 || std::abs(ab) <= kTolerance * std::sqrt(aa * bb)) return false;
    const double zeta = (bb - aa) / (2 * ab);
    const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
    const double c = 1 / std::hypot(1.0, t);
    rotate(a, b, work.cols, c, c * t);
    rotate(&v.values[static_cast<size_t>(p * v.cols)], &v.values[static_cast<size_t>(q * v.cols)],
           v.cols, c, c * t);
    return true;
}

}  // namespace

Svd svd(const Matrix& a) {
    require_finite(a);
    if (a.empty()) return {};
    const BlasLibrary::Dgesdd dgesdd = lapack();
    return dgesdd != nullptr ? svd_lapack(a, dgesdd) : svd_jacobi(a);
}

std::vector<double> singular_values(const Matrix& a) {
    require_finite(a);
    if (a.empty()) return {};
    const BlasLibrary::Dgesdd dgesdd = lapack();
    if (dgesdd == nullptr) return svd_jacobi(a).s;
    std::vector<double> values(static_cast<size_t>(std::min(a.rows, a.cols)));
    double none = 0;
    run_lapack(a, {"N", 1, 1, values.data(), &none, &none}, dgesdd);
    return values;
}

Svd svd_jacobi(const Matrix& a) {
    if (a.rows < a.cols) {
        Svd turned = svd_jacobi(transposed(a));
        return {transposed(turned.vt), std::move(turned.s), transposed(turned.u)};
    }
    constexpr int kMaxSweeps = 60;
    Matrix work = transposed(a), v(a.cols, a.cols);  // rows of both are the columns of a and V
    for (int64_t i = 0; i < a.cols; ++i) v.at(i, i) = 1;
    for (int sweep = 0, turned = 1; sweep < kMaxSweeps && turned > 0; ++sweep) {
        turned = 0;
        for (int64_t p = 0; p < a.cols; ++p)
            for (int64_t q = p + 1; q < a.cols; ++q) turned += make_orthogonal(work, v, p, q);
    }
    std::vector<double> norms;
    for (int64_t i = 0; i < a.cols; ++i) {
        const double* row = &work.values[static_cast<size_t>(i * work.cols)];
        norms.push_back(std::sqrt(row_product(row, row, work.cols)));
    }
    std::vector<int64_t> order(norms.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
        return norms[static_cast<size_t>(i)] > norms[static_cast<size_t>(j)];
    });
    Svd result{Matrix(a.rows, a.cols), {}, Matrix(a.cols, a.cols)};
    for (int64_t j = 0; j < a.cols; ++j) {
        const int64_t from = order[static_cast<size_t>(j)];
        const double norm = norms[static_cast<size_t>(from)];
        result.s.push_back(norm);
        for (int64_t i = 0; i < a.rows; ++i)
            result.u.at(i, j) = norm > 0 ? work.at(from, i) / norm : 0;
        for (int64_t i = 0; i < a.cols; ++i) result.vt.at(j, i) = norm > 0 ? v.at(from, i) : 0;
    }
    return result;
}

std::string svd_name() {
    return lapack() != nullptr ? "LAPACK dgesdd of OpenBLAS" : "one-sided Jacobi";
}

}  // namespace headroom
