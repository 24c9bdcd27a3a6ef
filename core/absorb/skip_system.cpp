#include "core/absorb/skip_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace headroom {
namespace {

/// Squared distance of a neuron's matrix, scaled to norm 1, from the span of the others below which
/// it counts as dependent.
constexpr double kGramTolerance = 1e-11;
/// Two rows are collinear where the squared sine of their angle is below this.
constexpr double kCollinear = 1e-13;

std::vector<int64_t> active_neurons(const Matrix& up_gram, const Matrix& down_gram) {
    std::vector<int64_t> active;
    for (int64_t i = 0; i < up_gram.rows; ++i)
        if (up_gram.at(i, i) > 0 && down_gram.at(i, i) > 0) active.push_back(i);
    return active;
}

bool all_non_collinear(const Matrix& g) {
    for (int64_t i = 0; i < g.rows; ++i)
        for (int64_t j = 0; j < i; ++j)
            if (g.at(i, j) * g.at(i, j) >= (1 - kCollinear) * g.at(i, i) * g.at(j, j)) return false;
    return true;
}

}  // namespace

SkipSystem::SkipSystem(const Mlp& mlp) : f_(mlp.d_ff()), factor_(Matrix(0, 0), 0) {
    Matrix up_gram = transposed_product(mlp.up, mlp.up);
    const Matrix down_gram = product_transposed(mlp.down, mlp.down);
    active_ = active_neurons(up_gram, down_gram);
    assumptions_ = std::ssize(active_) == f_ && all_non_collinear(up_gram);
    const Matrix carried = product_transposed(mlp.skip, mlp.down);
    const auto n = std::ssize(active_);
    Matrix g(n, n);
    for (const int64_t i : active_) {
        scale_.push_back(std::sqrt(up_gram.at(i, i) * down_gram.at(i, i)));
        double b = 0;
        for (int64_t j = 0; j < mlp.d_model(); ++j) b -= mlp.up.at(j, i) * carried.at(j, i);
        right_.push_back(b / scale_.back());
    }
    for (int64_t a = 0; a < n; ++a)
        for (int64_t b = 0; b < n; ++b) {
            const int64_t i = active_[static_cast<size_t>(a)], j = active_[static_cast<size_t>(b)];
            g.at(a, b) =
                a == b ? 1
                       : up_gram.at(i, j) * down_gram.at(i, j) /
                             (scale_[static_cast<size_t>(a)] * scale_[static_cast<size_t>(b)]);
        }
    up_gram = {};
    factor_ = PivotedCholesky(std::move(g), kGramTolerance);
    for (int64_t k = 0; nullity() < 63 && k < nullity(); ++k)
        dependence_.push_back(factor_.dependence(k));
}

std::vector<double> SkipSystem::solve() const {
    const std::vector<double> scaled = factor_.solve(right_);
    std::vector<double> c(static_cast<size_t>(f_));
    for (size_t a = 0; a < active_.size(); ++a)
        c[static_cast<size_t>(active_[a])] = scaled[a] / scale_[a];
    return c;
}

/// Dependent neurons as the bits of `choice` say; the others follow and are rounded to 0 or 1.
std::vector<double> SkipSystem::rounded_choice(uint64_t choice) const {
    std::vector<double> c = factor_.solve(right_);
    for (size_t k = 0; k < dependence_.size(); ++k) {
        if ((choice >> k & 1) == 0) continue;
        const auto row = static_cast<size_t>(factor_.order()[static_cast<size_t>(rank()) + k]);
        c[row] = scale_[row];
        for (size_t i = 0; i < dependence_[k].size(); ++i)
            c[static_cast<size_t>(factor_.order()[i])] -= dependence_[k][i] * scale_[row];
    }
    std::vector<double> rounded(static_cast<size_t>(f_));
    for (size_t a = 0; a < active_.size(); ++a)
        rounded[static_cast<size_t>(active_[a])] = c[a] / scale_[a] > 0.5 ? 1 : 0;
    return rounded;
}

double frobenius(const Matrix& m) {
    return std::sqrt(std::inner_product(m.values.begin(), m.values.end(), m.values.begin(), 0.0));
}

double skip_residual(const Mlp& mlp, const std::vector<double>& c) {
    constexpr int64_t kRows = 64;
    const int64_t d = mlp.d_model(), f = mlp.d_ff();
    double sum = 0;
    for (int64_t first = 0; first < d; first += kRows) {
        const int64_t rows = std::min(kRows, d - first);
        Matrix scaled(rows, f);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < f; ++j)
                scaled.at(i, j) = mlp.up.at(first + i, j) * c[static_cast<size_t>(j)];
        const Matrix left = product(scaled, mlp.down);
        for (int64_t i = 0; i < rows; ++i)
            for (int64_t j = 0; j < d; ++j) {
                const double x = left.at(i, j) + mlp.skip.at(first + i, j);
                sum += x * x;
            }
    }
    return std::sqrt(sum);
}

}  // namespace headroom
