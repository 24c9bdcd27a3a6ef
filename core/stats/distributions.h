#pragma once

namespace headroom {

/// The level of every test here and of the panels; intervals hold 1 - kTestLevel: 95 %.
inline constexpr double kTestLevel = 0.05;
/// Up to where the distribution lies within a two-sided interval of 95 %: 0.975.
inline constexpr double kTwoSidedEnd = 1 - kTestLevel / 2;

/// Regularised incomplete beta function I_x(a, b) by its continued fraction (modified Lentz; Press
/// et al., Numerical Recipes, section 6.4). REQUIRES: a, b > 0, 0 <= x <= 1. Relative error about
/// 1e-14.
double incomplete_beta(double a, double b, double x);

/// P(|T| >= |t|) for Student's t with `degrees` > 0 degrees of freedom, which need not be whole.
double t_two_sided_p(double t, double degrees);

/// The t with P(T <= t) = p. REQUIRES: 0 < p < 1.
double t_quantile(double p, double degrees);

/// Power of the two-sided t test at level `alpha` with n - 1 degrees of freedom where the mean is
/// `effect` standard deviations away from the hypothesis: of noncentral t with noncentrality
/// effect √n, the share beyond the critical value. REQUIRES: n >= 2.
double paired_t_power(double effect, int n, double alpha = kTestLevel);

/// The chance that the 1 - alpha interval of the mean of n normal values lies between two edges,
/// the lower one `below` standard deviations under their mean, the upper one `above` over it.
/// REQUIRES: n >= 2, both above 0.
double within_power(double below, double above, int n, double alpha = kTestLevel);

}  // namespace headroom
