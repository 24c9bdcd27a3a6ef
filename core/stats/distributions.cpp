#include "core/stats/distributions.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace headroom {
namespace {

/// The continued fraction of I_x(a, b), good for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
    constexpr int kMostTerms = 10'000;
    constexpr double kTiny = 1e-300;
    const auto away_from_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
    double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
    for (int m = 1; m <= kMostTerms; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double factor = 1;
        for (const double term : {even, odd}) {
            d = 1 / away_from_zero(1 + term * d);
            c = away_from_zero(1 + term / c);
            factor = c * d;
            result *= factor;
        }
        if (std::fabs(factor - 1) < 1e-16) break;
    }
    return result;
}

double normal_cdf(double x) {
    return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

/// Simpson's rule, halving until two estimates agree.
template <class F>
double integrate(const F& f, double from, double to, double tolerance, int depth = 40) {
    const double middle = (from + to) / 2;
    const double a = f(from), b = f((from + middle) / 2), c = f(middle), d = f((middle + to) / 2),
                 e = f(to);
    const double coarse = (to - from) / 6 * (a + 4 * c + e);
    const double fine = (to - from) / 12 * (a + 4 * b + 2 * c + 4 * d + e);
    if (depth == 0 || std::fabs(fine - coarse) < 15 * tolerance) return fine + (fine - coarse) / 15;
    return integrate(f, from, middle, tolerance / 2, depth - 1) +
           integrate(f, middle, to, tolerance / 2, depth - 1);
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
    CHECK(a > 0 && b > 0 && x >= 0 && x <= 1, "incomplete beta outside its domain");
    if (x == 0 || x == 1) return x;
    const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                  a * std::log(x) + b * std::log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double t_two_sided_p(double t, double degrees) {
    CHECK(degrees > 0, "the t distribution needs a degree of freedom");
    if (std::isnan(t)) return t;
    if (std::isinf(t)) return 0;
    return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double t_quantile(double p, double degrees) {
    CHECK(p > 0 && p < 1, "a quantile of no probability");
    if (p == 0.5) return 0;
    if (p < 0.5) return -t_quantile(1 - p, degrees);
    const double beyond = 2 * (1 - p);
    double low = 0, high = 1;
    while (t_two_sided_p(high, degrees) > beyond) high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
        const double middle = (low + high) / 2;
        (t_two_sided_p(middle, degrees) > beyond ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// The mean of `chance` over u = chi / √degrees, the sample's deviation as a share of the true one.
template <class Chance>
static double over_deviations(double degrees, const Chance& chance) {
    const double log_scale =
        std::log(2.0) + degrees / 2 * std::log(degrees / 2) - std::lgamma(degrees / 2);
    const auto density = [&](double u) {
        if (u <= 0) return degrees == 1 ? std::exp(log_scale) : 0.0;
        return std::exp(log_scale + (degrees - 1) * std::log(u) - degrees * u * u / 2);
    };
    const double reach = 9 / std::sqrt(2 * degrees);  // what lies farther out is below 1e-12
    const double from = std::max(0.0, 1 - reach), to = 1 + reach;
    constexpr int kParts = 32;
    double mean = 0;
    for (int i = 0; i < kParts; ++i)
        mean += integrate([&](double u) { return chance(u) * density(u); },
                          from + (to - from) * i / kParts, from + (to - from) * (i + 1) / kParts,
                          1e-13);
    return std::min(mean, 1.0);
}

double paired_t_power(double effect, int n, double alpha) {
    CHECK(n >= 2, "a t test needs two values");
    const double degrees = n - 1, critical = t_quantile(1 - alpha / 2, degrees);
    const double shift = effect * std::sqrt(static_cast<double>(n));
    // T = (Z + shift) / u: over u, what Z leaves beyond the critical value.
    return over_deviations(degrees, [&](double u) {
        return normal_cdf(shift - critical * u) + normal_cdf(-shift - critical * u);
    });
}

double within_power(double below, double above, int n, double alpha) {
    CHECK(n >= 2 && below > 0 && above > 0, "an interval of two values between two edges");
    const double degrees = n - 1, critical = t_quantile(1 - alpha / 2, degrees);
    const double root = std::sqrt(static_cast<double>(n));
    return over_deviations(degrees, [&](double u) {
        return std::max(
            0.0, normal_cdf(above * root - critical * u) - normal_cdf(critical * u - below * root));
    });
}

}  // namespace headroom
