#include "core/lab/semi_conjugacy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/lab/norm_maps.h"
#include "core/lab/random_numbers.h"
#include "core/linalg/svd.h"

namespace headroom {
namespace {

std::vector<double> copy_of_row(const Matrix& m, int64_t row) {
    const auto first = m.values.begin() + row * m.cols;
    return {first, first + m.cols};
}

/// ‖a - b‖ / ‖b‖.
double relative_difference(const std::vector<double>& a, std::vector<double> b) {
    const double scale = norm_of(b);
    for (size_t i = 0; i < b.size(); ++i) b[i] -= a[i];
    return norm_of(b) / scale;
}

struct IdentityErrors {
    double through_d = 0;      ///< L(f(x)) against D A L(x)
    double undone = 0;         ///< D^-1 L(f(x)) against A L(x)
    double mean = 0;           ///< |1^T M0 z| / ‖z‖ of centred z: LayerNorm alone
    int64_t not_positive = 0;  ///< entries of D that no gain of a trained norm would be
};

IdentityErrors errors_of(const SemiConjugacyMap& map, const Matrix& a, const Matrix& inputs) {
    IdentityErrors worst;
    for (int64_t i = 0; i < inputs.rows; ++i) {
        const std::vector<double> x = copy_of_row(inputs, i), z = normalised(map.norm, x, map.eps);
        const double h = map.norm == LabNorm::kLayerNorm ? 0.7 : 0;
        std::vector<double> left = normalised(map.norm, map.f(x, h), map.eps);
        const std::vector<double> right = times(map.m0, z);
        worst.through_d = std::max(worst.through_d, relative_difference(left, right));
        for (size_t j = 0; j < left.size(); ++j) left[j] /= map.diagonal[j];
        worst.undone = std::max(worst.undone, relative_difference(left, times(a, z)));
        double sum = 0;
        for (const double value : right) sum += value;
        if (map.norm == LabNorm::kLayerNorm)
            worst.mean = std::max(worst.mean, std::abs(sum) / norm_of(z));
    }
    worst.not_positive = std::count_if(map.diagonal.begin(), map.diagonal.end(),
                                       [](double value) { return value <= 0; });
    return worst;
}

/// N(0, 1/d) entries with singular values above 1 set to 1; `spectrum` gets them before.
Matrix clamped_matrix(int64_t d, uint64_t seed, std::vector<double>& spectrum) {
    Svd parts = svd(normal_matrix("clamped", seed, d, d, 1 / std::sqrt(static_cast<double>(d))));
    spectrum.insert(spectrum.end(), parts.s.begin(), parts.s.end());
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j < d; ++j)
            parts.vt.at(i, j) *= std::min(1.0, parts.s[static_cast<size_t>(i)]);
    return product(parts.u, parts.vt);
}

/// A random row of mean 0 and this norm.
std::vector<double> centred_input(const Matrix& inputs, int64_t row, double norm) {
    std::vector<double> x = copy_of_row(inputs, row);
    double mean = 0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    for (double& value : x) value -= mean;
    const double scale = norm / norm_of(x);
    for (double& value : x) value *= scale;
    return x;
}

/// Mean and deviation of the factor sqrt(d eps / (‖x‖² + d eps - ‖Mx‖²)) of f_M over inputs with
/// ‖x‖² = share d eps: constant where f_M is linear. Only the share matters, not eps.
std::pair<double, double> factor_of(const Matrix& m, const Matrix& inputs, double share) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < inputs.rows; ++i) {
        const std::vector<double> x = centred_input(inputs, i, 1);
        const double mapped = norm_of(times(m, x));
        const double factor = 1 / std::sqrt(1 + share * (1 - mapped * mapped));
        sum += factor;
        squares += factor * factor;
    }
    const auto n = static_cast<double>(inputs.rows);
    return {sum / n, std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)))};
}

/// Density of a square random matrix's singular values: sqrt(4 - s²) / pi on [0, 2], the square
/// root of Marchenko and Pastur's law.
LabChart spectrum_chart(const std::vector<double>& spectrum, int64_t d) {
    LabSeries law{"Marchenko-Pastur", LabSeries::Style::kLine, {}, {}};
    for (int i = 0; i <= 100; ++i) {
        const double s = 2.0 * i / 100;
        law.x.push_back(s);
        law.y.push_back(std::sqrt(4 - s * s) / std::numbers::pi);
    }
    std::vector<double> shifted = spectrum;
    for (double& s : shifted) s -= 1.1;
    LabSeries columns = density_columns("singular values", shifted, 1.1, 1, 44);
    for (double& x : columns.x) x += 1.1;
    return {"spectrum",
            "singular value",
            "density",
            false,
            false,
            {columns, law},
            fmt::format("d = {}, entries N(0, 1/d), before clamping to 1", d)};
}

/// The errors of all matrices of one width together.
IdentityErrors worst_errors(LabNorm norm, int64_t d, double eps, int64_t n_matrix, int64_t n_input,
                            uint64_t seed) {
    IdentityErrors worst;
    for (int64_t k = 0; k < n_matrix; ++k) {
        const auto key = seed + static_cast<uint64_t>(k);
        const Matrix a = normal_matrix("A", key, d, d);
        const IdentityErrors one =
            errors_of(semi_conjugacy_map(norm, a, eps), a, normal_matrix("x", key, n_input, d));
        worst.through_d = std::max(worst.through_d, one.through_d);
        worst.undone = std::max(worst.undone, one.undone);
        worst.mean = std::max(worst.mean, one.mean);
        worst.not_positive += one.not_positive;
    }
    return worst;
}

/// How far f is from linear, by width and by the size of its inputs.
struct NearLinearity {
    static constexpr std::array<double, 5> kShares = {0.01, 0.1, 1, 10, 100};
    struct Factors {
        std::array<double, kShares.size()> means{}, deviations{};
    };

    LabTable table{"near-linearity",
                   {"d", "‖x‖² / (d eps)", "mean factor", "its deviation", "deviation / mean"},
                   {}};
    LabChart deviation{"near-linearity",
                       "d",
                       "deviation of the factor over its mean",
                       true,
                       true,
                       {},
                       "0 would be a linear map; constant factors are"};
    LabChart factor{"factor",
                    "‖x‖² / (d eps)",
                    "mean factor",
                    true,
                    false,
                    {},
                    "1 near the origin, where f is M itself"};

    NearLinearity() {
        for (const double share : kShares)
            deviation.series.push_back(
                {fmt::format("‖x‖² = {:g} d eps", share), LabSeries::Style::kLine, {}, {}});
    }
    void add(int64_t d, const Factors& factors) {
        const auto& [means, deviations] = factors;
        for (size_t s = 0; s < kShares.size(); ++s) {
            const double relative = deviations[s] / means[s];
            table.rows.push_back({d, kShares[s], means[s], deviations[s], relative});
            deviation.series[s].x.push_back(static_cast<double>(d));
            deviation.series[s].y.push_back(relative);
        }
        factor.series.push_back({fmt::format("d = {}", d),
                                 LabSeries::Style::kLine,
                                 {kShares.begin(), kShares.end()},
                                 {means.begin(), means.end()}});
    }
};

/// Means over the matrices of width d, whose singular values go into `spectrum`.
NearLinearity::Factors mean_factors(int64_t d, int64_t n_matrix, int64_t n_input, uint64_t seed,
                                    std::vector<double>& spectrum) {
    NearLinearity::Factors factors;
    for (int64_t k = 0; k < n_matrix; ++k) {
        const auto key = seed + static_cast<uint64_t>(k);
        const Matrix m = clamped_matrix(d, key, spectrum);
        const Matrix inputs = normal_matrix("inputs", key, n_input, d);
        for (size_t s = 0; s < NearLinearity::kShares.size(); ++s) {
            const auto [mean, spread] = factor_of(m, inputs, NearLinearity::kShares[s]);
            factors.means[s] += mean / static_cast<double>(n_matrix);
            factors.deviations[s] += spread / static_cast<double>(n_matrix);
        }
    }
    return factors;
}

}  // namespace

std::string SemiConjugacy::shows() const {
    return "For every invertible A there are a diagonal D and a map f with L(f(x)) = D A L(x), so "
           "a change of basis passes a norm if the block before it computes f: which is not "
           "linear, "
           "but nearly so for wide models and inputs with ‖x‖² well below d eps.";
}

std::vector<LabOption> SemiConjugacy::options() {
    return {{"d", &d_, "Widths of the identities", 2, 1024},
            {"eps", &eps_, "Epsilon of LayerNorm and RMSNorm", 1e-12, 1e6},
            {"widths", &widths_, "Widths of the near-linearity", 2, 2048},
            {"matrices", &n_matrix_, "Random matrices of each width", 1, 1000},
            {"inputs", &n_input_, "Random inputs of each matrix", 2, 100000},
            {"seed", &seed_, "Of matrices and inputs", 0, 1e9}};
}

bool SemiConjugacy::check_identities(LabResult& result, const LabProgress& progress) const {
    LabTable identities{"identities",
                        {"norm", "d", "eps or alpha", "L(f(x)) - D A L(x)", "D^-1 L(f(x)) - A L(x)",
                         "1^T M0 z", "entries of D <= 0"},
                        {}};
    double worst = 0, worst_mean = 0;
    for (const LabNorm norm : {LabNorm::kLayerNorm, LabNorm::kRmsNorm, LabNorm::kDyT})
        for (const int64_t d : d_)
            // DyT has no epsilon; its alpha starts at 0.5.
            for (const double eps : norm == LabNorm::kDyT ? std::vector<double>{0.5} : eps_) {
                if (!progress(0, "identities")) return false;
                const IdentityErrors errors =
                    worst_errors(norm, d, eps, n_matrix_, n_input_, seed());
                worst = std::max({worst, errors.through_d, errors.undone});
                worst_mean = std::max(worst_mean, errors.mean);
                identities.rows.push_back({name_of(norm), d, eps, errors.through_d, errors.undone,
                                           errors.mean, errors.not_positive});
            }
    result.tables.push_back(std::move(identities));
    // An epsilon of 1e-5 leaves d - ‖z‖² a few digits less than the numbers have.
    const LabCheck both{"both identities, greatest relative difference", 0, worst, 1e-6};
    const LabCheck centred{"1^T M0 z over ‖z‖ for z of mean 0", 0, worst_mean, 1e-9};
    result.checks = {both, centred};
    return true;
}

bool SemiConjugacy::measure_linearity(LabResult& result, const LabProgress& progress) const {
    NearLinearity found;
    bool going = true;
    for (size_t w = 0; w < widths_.size() && going; ++w) {
        const int64_t d = widths_[w];
        going = progress(static_cast<double>(w) / static_cast<double>(widths_.size()),
                         fmt::format("near-linearity at d = {}", d));
        if (!going) break;
        std::vector<double> spectrum;
        found.add(d, mean_factors(d, n_matrix_, n_input_, seed(), spectrum));
        if (w + 1 == widths_.size()) result.charts.push_back(spectrum_chart(spectrum, d));
    }
    result.tables.push_back(std::move(found.table));
    result.charts.push_back(std::move(found.deviation));
    result.charts.push_back(std::move(found.factor));
    return going;
}

LabResult SemiConjugacy::run(const LabProgress& progress) {
    LabResult result;
    result.stopped = !check_identities(result, progress);
    if (result.stopped) return result;
    result.stopped = !measure_linearity(result, [&](double share, const std::string& doing) {
        return progress(0.1 + 0.9 * share, doing);
    });
    progress(1, "done");
    return result;
}

}  // namespace headroom
