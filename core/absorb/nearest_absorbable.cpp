#include "core/absorb/nearest_absorbable.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "core/absorb/absorption.h"
#include "core/absorb/skip_system.h"
#include "core/base/error.h"
#include "core/config/enum_names.h"
#include "core/linalg/lu.h"

namespace headroom {
namespace {

constexpr double kRankTolerance = 1e-13;

Matrix columns_of(const Matrix& m, const std::vector<int64_t>& set) {
    Matrix part(m.rows, std::ssize(set));
    for (int64_t i = 0; i < m.rows; ++i)
        for (size_t k = 0; k < set.size(); ++k)
            part.at(i, static_cast<int64_t>(k)) = m.at(i, set[k]);
    return part;
}

/// A⁺ e for A [d, k] with k >= d: A^T (A A^T)^-1 e, or nothing if A A^T is singular.
class PseudoInverse {
  public:
    explicit PseudoInverse(Matrix a)
        : a_(std::move(a)), factor_(product(a_, transposed(a_)), kRankTolerance) {}

    bool full_rank() const { return factor_.rank() == a_.rows; }
    Matrix times(const Matrix& e) const {
        Matrix solved(e.rows, e.cols);
        for (int64_t j = 0; j < e.cols; ++j) {
            std::vector<double> column(static_cast<size_t>(e.rows));
            for (int64_t i = 0; i < e.rows; ++i) column[static_cast<size_t>(i)] = e.at(i, j);
            const std::vector<double> x = factor_.solve(column);
            for (int64_t i = 0; i < e.rows; ++i) solved.at(i, j) = x[static_cast<size_t>(i)];
        }
        return transposed_product(a_, solved);
    }

  private:
    Matrix a_;
    PivotedCholesky factor_;
};

Matrix rows_of(const Matrix& m, const std::vector<int64_t>& set) {
    Matrix part(std::ssize(set), m.cols);
    for (size_t k = 0; k < set.size(); ++k)
        std::copy_n(m.values.begin() + set[k] * m.cols, m.cols,
                    part.values.begin() + static_cast<int64_t>(k) * m.cols);
    return part;
}

Matrix sum(Matrix a, const Matrix& b, double sign = 1) {
    for (size_t i = 0; i < a.values.size(); ++i) a.values[i] += sign * b.values[i];
    return a;
}

/// What has to be taken off the rows `set` of down; nothing if the set cannot do it.
std::optional<Matrix> correction(const Mlp& mlp, const std::vector<int64_t>& set) {
    const Matrix a = columns_of(mlp.up, set), down = rows_of(mlp.down, set);
    const PseudoInverse inverse(a);
    if (!inverse.full_rank()) return std::nullopt;
    Matrix off = inverse.times(sum(product(a, down), mlp.skip));
    // Once more on what is left, against the squared condition of A A^T.
    const Matrix left = sum(product(a, sum(down, off, -1)), mlp.skip);
    return sum(std::move(off), inverse.times(left));
}

void require_absorbing_kind(const Mlp& mlp) {
    if (!absorbs_skips(mlp.kind))
        throw UserError(
            fmt::format("an MLP with {} absorbs its skip for no weights", spelling(mlp.kind)),
            "take relu, gelu or silu without a gate");
}

NearestAbsorbable corrected(const Mlp& mlp, std::vector<int64_t> set, const Matrix& off) {
    NearestAbsorbable result{mlp, std::move(set), frobenius(off), 0};
    result.relative_change = result.change / frobenius(mlp.down);
    for (size_t k = 0; k < result.set.size(); ++k)
        for (int64_t j = 0; j < mlp.d_model(); ++j)
            result.mlp.down.at(result.set[k], j) -= off.at(static_cast<int64_t>(k), j);
    return result;
}

[[noreturn]] void refuse_set(int64_t size, int64_t d_model) {
    throw UserError(
        fmt::format("the rows of up of these {} neurons do not span the {} inputs", size, d_model),
        fmt::format("give a set of at least {} neurons with independent rows", d_model));
}

}  // namespace

NearestAbsorbable nearest_absorbable(const Mlp& mlp, const std::vector<int64_t>& set) {
    require_absorbing_kind(mlp);
    std::vector<int64_t> rising = set;
    std::sort(rising.begin(), rising.end());
    const bool distinct = std::adjacent_find(rising.begin(), rising.end()) == rising.end();
    if (rising.empty() || !distinct || rising.front() < 0 || rising.back() >= mlp.d_ff())
        throw UserError("the set is empty, names a neuron twice or one that is not there",
                        fmt::format("give different numbers from 0 to {}", mlp.d_ff() - 1));
    const std::optional<Matrix> off = correction(mlp, rising);
    if (!off) refuse_set(std::ssize(rising), mlp.d_model());
    return corrected(mlp, std::move(rising), *off);
}

NearestAbsorbable nearest_absorbable(const Mlp& mlp) {
    require_absorbing_kind(mlp);
    const int64_t d = mlp.d_model(), f = mlp.d_ff();
    const std::vector<double> c = SkipSystem(mlp).solve();
    std::vector<int64_t> order(static_cast<size_t>(f));
    std::iota(order.begin(), order.end(), int64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return c[static_cast<size_t>(a)] > c[static_cast<size_t>(b)];
    });
    constexpr int kSizes = 10;
    std::optional<NearestAbsorbable> best;
    int64_t tried = 0;
    for (int k = 0; k < kSizes; ++k) {
        const double share = k / (kSizes - 1.0);
        const auto size = static_cast<int64_t>(
            std::lround(static_cast<double>(d) *
                        std::pow(static_cast<double>(f) / static_cast<double>(d), share)));
        if (size <= tried || size > f) continue;
        tried = size;
        std::vector<int64_t> set(order.begin(), order.begin() + size);
        std::sort(set.begin(), set.end());
        const std::optional<Matrix> off = correction(mlp, set);
        if (off && (!best || frobenius(*off) < best->change))
            best = corrected(mlp, std::move(set), *off);
    }
    if (!best) refuse_set(f, d);
    return std::move(*best);
}

Mlp widened(const Mlp& mlp) {
    require_absorbing_kind(mlp);
    const int64_t d = mlp.d_model(), f = mlp.d_ff();
    const PivotedCholesky order(transposed_product(mlp.up, mlp.up), 1e-10);
    if (order.rank() < d) refuse_set(f, d);
    const std::vector<int64_t> base(order.order().begin(), order.order().begin() + d);
    // up_B r = skip: neuron i of the base then adds r_i (act(z) - act(-z)) = r_i z.
    Matrix r = mlp.skip;
    LuFactors(columns_of(mlp.up, base)).solve(r);

    Mlp wide = mlp;
    wide.skip = {};
    wide.up = Matrix(d, f + d);
    wide.down.rows += d;
    wide.down.values.resize(static_cast<size_t>((f + d) * d));
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j < f; ++j) wide.up.at(i, j) = mlp.up.at(i, j);
    if (!mlp.up_bias.empty()) wide.down_bias.resize(static_cast<size_t>(d));
    for (int64_t k = 0; k < d; ++k) {
        const int64_t i = base[static_cast<size_t>(k)];
        const double bias = mlp.up_bias.empty() ? 0 : mlp.up_bias[static_cast<size_t>(i)];
        if (!mlp.up_bias.empty()) wide.up_bias.push_back(-bias);
        for (int64_t j = 0; j < d; ++j) {
            wide.up.at(j, f + k) = -mlp.up.at(j, i);
            wide.down.at(i, j) += r.at(k, j);
            wide.down.at(f + k, j) = -r.at(k, j);
            if (!mlp.up_bias.empty()) wide.down_bias[static_cast<size_t>(j)] -= bias * r.at(k, j);
        }
    }
    return wide;
}

}  // namespace headroom
