#include "core/lab/regression_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/cpu/parallel.h"
#include "core/lab/random_numbers.h"
#include "core/linalg/lu.h"
#include "core/stats/sample_mean.h"

namespace headroom {
namespace {

// Matrices of a few numbers a side: plain loops are faster than a library here.

/// c += a b, or with the transposed of a or b. Every number of c takes its products one after the
/// other.
void add_product(const Matrix& a, const Matrix& b, Matrix& c, bool ta = false, bool tb = false) {
    const int64_t inner = ta ? a.rows : a.cols;
    const int64_t to_next_row = ta ? 1 : a.cols, to_next_column = ta ? a.cols : 1;
    for (int64_t i = 0; i < c.rows; ++i) {
        const double* left = a.values.data() + i * to_next_row;
        double* out = c.values.data() + i * c.cols;
        if (tb) {
            for (int64_t j = 0; j < c.cols; ++j) {
                const double* right = b.values.data() + j * b.cols;
                double sum = out[j];
                for (int64_t k = 0; k < inner; ++k) sum += left[k * to_next_column] * right[k];
                out[j] = sum;
            }
            continue;
        }
        for (int64_t k = 0; k < inner; ++k) {
            const double x = left[k * to_next_column];
            const double* right = b.values.data() + k * b.cols;
            for (int64_t j = 0; j < c.cols; ++j) out[j] += x * right[j];
        }
    }
}

Matrix times(const Matrix& a, const Matrix& b, bool ta = false, bool tb = false) {
    Matrix c(ta ? a.cols : a.rows, tb ? b.rows : b.cols);
    add_product(a, b, c, ta, tb);
    return c;
}

/// Rows [first, first + rows) and columns alike of m.
Matrix block(const Matrix& m, int64_t row, int64_t col, int64_t rows, int64_t cols) {
    Matrix part(rows, cols);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j) part.at(i, j) = m.at(row + i, col + j);
    return part;
}

double square(const Matrix& m) {
    double sum = 0;
    for (const double x : m.values) sum += x * x;
    return sum;
}

/// The parameters as matrices, or their gradients.
struct Parameters {
    Matrix u;  ///< [d, 2d]: diag(A, B)
    Matrix w[2], n[2];

    Parameters(int64_t d, int64_t a) : u(d, 2 * d) {
        for (int h = 0; h < 2; ++h) {
            w[h] = Matrix(d, d);
            n[h] = Matrix(d, a);
        }
    }
    /// Visits every free number in a fixed order.
    template <class F>
    void each(int64_t a, F&& f) {
        const int64_t d = u.rows;
        for (int64_t i = 0; i < d; ++i)
            for (int64_t j = 0; j < d; ++j) f(u.at(i, i < a ? j : d + j));
        for (Matrix* m : {&w[0], &w[1], &n[0], &n[1]})
            for (double& value : m->values) f(value);
    }
};

Parameters unpacked(const std::vector<double>& x, int64_t d, int64_t a) {
    Parameters p(d, a);
    size_t at = 0;
    p.each(a, [&](double& value) { value = x[at++]; });
    return p;
}

/// The forward pass over one data set.
struct Pass {
    Matrix s_xx, lower;  ///< of the moments: X X^T, (Y X^T, Y Y^T)
    Matrix u_sigma;
    Matrix g[2];
    Matrix r;  ///< Σ W G M - ridge

    Pass(const RegressionSample& sample, size_t set, RegressionForm form, const Parameters& p,
         const Matrix (&m)[2])
        : s_xx(block(sample.moments[set], 0, 0, sample.task.d, sample.task.d)),
          lower(block(sample.moments[set], sample.task.d, 0, sample.task.d, 2 * sample.task.d)),
          u_sigma(times(p.u, sample.moments[set])),
          g{s_xx, s_xx},
          r(sample.ridge[set]) {
        add_product(u_sigma, p.u, g[0], false, true);
        if (form == RegressionForm::kSkipV1)
            add_product(lower, p.u, g[1], false, true);
        else
            g[1] = g[0];
        for (double& value : r.values) value = -value;
        for (int h = 0; h < 2; ++h) add_product(times(p.w[h], g[h]), m[h], r);
    }
};

/// ‖λ Y X^T - target‖² of a data set.
double step_distance(const RegressionSample& sample, double lambda, size_t set,
                     const Matrix& target) {
    const int64_t d = sample.task.d;
    double sum = 0;
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j < d; ++j) {
            const double x = lambda * sample.moments[set].at(d + i, j) - target.at(i, j);
            sum += x * x;
        }
    return sum;
}

}  // namespace

RegressionSample sample_regression(const RegressionTask& task, int64_t n_sets, uint64_t seed) {
    const auto [d, n, sigma] = task;
    RegressionSample sample{task, {}, {}, {}, {}, 0};
    const double noise = static_cast<double>(d) * sigma * sigma;
    for (int64_t set = 0; set < n_sets; ++set) {
        const uint64_t key = seed * 1000003 + static_cast<uint64_t>(set);
        const Matrix truth = normal_matrix("W", key, d, d), x = normal_matrix("X", key, d, n);
        Matrix y = normal_matrix("noise", key, d, n, sigma == 0 ? 1 : sigma);
        if (sigma == 0) std::fill(y.values.begin(), y.values.end(), 0.0);
        add_product(truth, x, y);
        Matrix stacked(2 * d, n);
        std::copy(x.values.begin(), x.values.end(), stacked.values.begin());
        std::copy(y.values.begin(), y.values.end(), stacked.values.begin() + d * n);
        Matrix moments = times(stacked, stacked, false, true);
        Matrix s = block(moments, 0, 0, d, d);
        for (int64_t i = 0; i < d; ++i) s.at(i, i) += sigma * sigma;
        const LuFactors factors(s);
        Matrix inverse = identity_matrix(d);
        factors.solve(inverse);
        double trace = 0;
        for (int64_t i = 0; i < d; ++i) trace += inverse.at(i, i);
        sample.constants.push_back(noise + noise * trace);
        sample.ridge.push_back(times(block(moments, d, 0, d, d), inverse));
        sample.moments.push_back(std::move(moments));
        sample.truth.push_back(truth);
    }
    sample.constant = sample_mean(sample.constants).mean;
    return sample;
}

double gradient_step_loss(const RegressionTask& task, double lambda) {
    const auto d = static_cast<double>(task.d), n = static_cast<double>(task.n);
    const double variance = task.sigma * task.sigma;
    return d * variance +
           d * d * (1 - 2 * lambda * n + lambda * lambda * n * (n + d + 1 + variance));
}

double best_lambda(const RegressionTask& task) {
    return 1 / (static_cast<double>(task.n + task.d + 1) + task.sigma * task.sigma);
}

std::vector<double> gradient_step_losses(const RegressionSample& sample, double lambda) {
    const RegressionTask& task = sample.task;
    std::vector<double> losses;
    for (size_t k = 0; k < sample.moments.size(); ++k)
        losses.push_back(step_distance(sample, lambda, k, sample.truth[k]) +
                         static_cast<double>(task.d) * task.sigma * task.sigma);
    return losses;
}

std::vector<double> gradient_step_ridge_losses(const RegressionSample& sample, double lambda) {
    std::vector<double> losses;
    for (size_t k = 0; k < sample.moments.size(); ++k)
        losses.push_back(step_distance(sample, lambda, k, sample.ridge[k]) + sample.constants[k]);
    return losses;
}

RegressionLoss::RegressionLoss(const RegressionSample& sample, RegressionForm form, int64_t a)
    : sample_(sample), form_(form), a_(a) {
    CHECK(a >= 1 && a <= sample.task.d, "rows of A");
}

int64_t RegressionLoss::size() const {
    const int64_t d = sample_.task.d;
    return 3 * d * d + 2 * d * a_;
}

std::vector<double> RegressionLoss::gradient_step(double lambda) const {
    CHECK(a_ == sample_.task.d, "the exact form has a = d");
    Parameters p(a_, a_);
    for (int64_t i = 0; i < a_; ++i) {
        p.u.at(i, i) = p.n[0].at(i, i) = p.n[1].at(i, i) = 1;
        p.w[0].at(i, i) = -lambda / 2;
        p.w[1].at(i, i) = lambda;
    }
    std::vector<double> x;
    p.each(a_, [&](double& value) { x.push_back(value); });
    return x;
}

std::vector<double> RegressionLoss::losses(const std::vector<double>& x) const {
    const Parameters p = unpacked(x, sample_.task.d, a_);
    const Matrix a = block(p.u, 0, 0, a_, sample_.task.d);
    const Matrix m[2] = {times(p.n[0], a), times(p.n[1], a)};
    std::vector<double> losses = sample_.constants;
    for (size_t k = 0; k < losses.size(); ++k) losses[k] += square(Pass(sample_, k, form_, p, m).r);
    return losses;
}

/// With R = Σ W G M - ridge: dW = 2 R M^T G^T, dM = 2 G^T W^T R, dG = 2 W^T R M^T; U Σ U^T gives
/// dU = (dG + dG^T) U Σ, (S_yx S_yy) U^T gives dU = dG^T (S_yx S_yy); M = N A.
double RegressionLoss::operator()(const std::vector<double>& x,
                                  std::vector<double>& gradient) const {
    const int64_t d = sample_.task.d;
    const Parameters p = unpacked(x, d, a_);
    const Matrix a = block(p.u, 0, 0, a_, d);
    const Matrix m[2] = {times(p.n[0], a), times(p.n[1], a)};
    constexpr int64_t kPieces = 16;  // of the sample, added in order: equal on any machine
    const auto sets = std::ssize(sample_.moments);
    std::vector<double> losses(kPieces);
    std::vector<Parameters> parts(kPieces, Parameters(d, a_));
    std::vector<Matrix> part_a(kPieces, Matrix(a_, d));
    parallel_tasks(kPieces, [&](int64_t piece, int) {
        Parameters& sum = parts[static_cast<size_t>(piece)];
        for (int64_t k = sets * piece / kPieces; k < sets * (piece + 1) / kPieces; ++k) {
            const auto [s_xx, lower, u_sigma, g, r] =
                Pass(sample_, static_cast<size_t>(k), form_, p, m);
            const bool reuses = form_ == RegressionForm::kSkipV1;
            losses[static_cast<size_t>(piece)] += square(r);
            for (int h = 0; h < 2; ++h) {
                add_product(times(r, m[h], false, true), g[h], sum.w[h], false, true);
                const Matrix wr = times(p.w[h], r, true);
                const Matrix dm = times(g[h], wr, true);
                add_product(dm, a, sum.n[h], false, true);
                add_product(p.n[h], dm, part_a[static_cast<size_t>(piece)], true);
                const Matrix dg = times(wr, m[h], false, true);
                if (h == 1 && reuses) {
                    add_product(dg, lower, sum.u, true);
                } else {
                    add_product(dg, u_sigma, sum.u);
                    add_product(dg, u_sigma, sum.u, true);
                }
            }
        }
    });
    double loss = 0;
    const double scale = 2 / static_cast<double>(sets);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    for (size_t piece = 0; piece < kPieces; ++piece) {
        loss += losses[piece];
        for (int64_t i = 0; i < a_; ++i)
            for (int64_t j = 0; j < d; ++j) parts[piece].u.at(i, j) += part_a[piece].at(i, j);
        size_t at = 0;
        parts[piece].each(a_, [&](double& value) { gradient[at++] += scale * value; });
    }
    return sample_.constant + loss / static_cast<double>(sets);
}

}  // namespace headroom
