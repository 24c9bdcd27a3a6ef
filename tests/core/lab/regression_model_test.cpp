#include "core/lab/regression_model.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/lab/minimize.h"
#include "core/lab/random_numbers.h"
#include "core/stats/sample_mean.h"
#include "tests/core/linalg/random_matrix.h"

namespace headroom {
namespace {

TEST(RegressionLoss, GradientsMatchFiniteDifferences) {
    const RegressionSample sample = sample_regression({3, 5, 0.3}, 20, 1);
    for (const RegressionForm form : {RegressionForm::kMha, RegressionForm::kSkipV1})
        for (const int64_t a : {1, 2, 3}) {
            const RegressionLoss loss(sample, form, a);
            std::vector<double> x = random_matrix(1, loss.size(), 5).values, gradient(x.size()),
                                ignored(x.size());
            loss(x, gradient);
            for (size_t i = 0; i < x.size(); i += 4) {
                const double kept = x[i], h = 1e-5;
                x[i] = kept + h;
                const double above = loss(x, ignored);
                x[i] = kept - h;
                const double below = loss(x, ignored);
                x[i] = kept;
                EXPECT_NEAR(gradient[i], (above - below) / (2 * h),
                            1e-5 * (1 + std::abs(gradient[i])));
            }
        }
}

TEST(RegressionLoss, IsTheMeanOverDataSetsInBothForms) {
    const RegressionSample sample = sample_regression({2, 6, 0.5}, 4000, 3);
    const RegressionLoss loss(sample, RegressionForm::kSkipV1, 2);
    const std::vector<double> exact = loss.gradient_step(0.1);
    std::vector<double> ignored(exact.size());
    const std::vector<double> each = loss.losses(exact);
    const SampleMean of_sets = sample_mean(each);
    EXPECT_NEAR(of_sets.mean, loss(exact, ignored), 1e-10);
    const std::vector<double> ridge = gradient_step_ridge_losses(sample, 0.1);
    const std::vector<double> truth = gradient_step_losses(sample, 0.1);
    std::vector<double> apart;
    for (size_t k = 0; k < ridge.size(); ++k) {
        EXPECT_NEAR(ridge[k], each[k], 1e-9) << k;
        apart.push_back(truth[k] - ridge[k]);
    }
    const SampleMean difference = sample_mean(apart);
    EXPECT_LT(std::abs(difference.mean), 4 * difference.standard_error);
    EXPECT_LT(difference.standard_error, 0.03 * of_sets.mean);
}

/// The loss of the second layer from the tokens themselves, by the paper's columns.
TEST(RegressionLoss, IsThatOfTheAttentionLayer) {
    const RegressionTask task{2, 3, 0.2};
    const RegressionSample sample = sample_regression(task, 1, 7);
    const int64_t d = 2, n = 3, a = 1;
    // The same data as sample_regression makes.
    const uint64_t key = 7 * 1000003;
    const Matrix w = normal_matrix("W", key, d, d), x = normal_matrix("X", key, d, n);
    Matrix y = normal_matrix("noise", key, d, n, task.sigma);
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t k = 0; k < d; ++k) y.at(i, j) += w.at(i, k) * x.at(k, j);
    for (const RegressionForm form : {RegressionForm::kMha, RegressionForm::kSkipV1}) {
        const RegressionLoss loss(sample, form, a);
        const std::vector<double> p = random_matrix(1, loss.size(), 3).values;
        std::vector<double> ignored(p.size());
        // A = p[0..1], B = p[2..3]; W^1, W^2, N^1, N^2 follow.
        const auto w_of = [&](int h, int64_t i, int64_t j) {
            return p[static_cast<size_t>(4 + 4 * h + 2 * i + j)];
        };
        const auto n_of = [&](int h, int64_t i) { return p[static_cast<size_t>(12 + 2 * h + i)]; };
        double expected = sample.constant;
        Matrix map(d, d);  // ŷ as a map of x_{n+1}
        for (int h = 0; h < 2; ++h)
            for (int64_t token = 0; token < 2 * n; ++token) {
                const int64_t pair = token / 2;
                double seen[2], value[2];
                for (int64_t i = 0; i < d; ++i) {
                    if (token % 2 == 0) {
                        seen[i] = value[i] = x.at(i, pair);
                        continue;
                    }
                    const Matrix& source = i == 0 ? x : y;
                    seen[i] = 0;
                    for (int64_t j = 0; j < d; ++j)
                        seen[i] += p[static_cast<size_t>(2 * i + j)] * source.at(j, pair);
                    value[i] = y.at(i, pair);  // the first layer's own token
                }
                if (h == 0 || form == RegressionForm::kMha) std::copy(seen, seen + 2, value);
                for (int64_t i = 0; i < d; ++i)
                    for (int64_t j = 0; j < d; ++j) {
                        double left = 0, right = 0;
                        for (int64_t k = 0; k < d; ++k) {
                            left += w_of(h, i, k) * value[k];
                            right += seen[k] * n_of(h, k);
                        }
                        map.at(i, j) += left * right * p[static_cast<size_t>(j)];
                    }
            }
        for (int64_t i = 0; i < d; ++i)
            for (int64_t j = 0; j < d; ++j) {
                const double off = map.at(i, j) - sample.ridge[0].at(i, j);
                expected += off * off;
            }
        EXPECT_NEAR(loss(p, ignored), expected, 1e-9 * expected);
    }
}

TEST(Minimize, FindsTheValleyOfRosenbrock) {
    const DifferentiableFunction valley = [](const std::vector<double>& x, std::vector<double>& g) {
        const double a = 1 - x[0], b = x[1] - x[0] * x[0];
        g[0] = -2 * a - 400 * x[0] * b;
        g[1] = 200 * b;
        return a * a + 100 * b * b;
    };
    const Minimum found = minimize(valley, {-1.2, 1}, 500, 1e-15, [] { return true; });
    EXPECT_NEAR(found.x[0], 1, 1e-5);
    EXPECT_NEAR(found.x[1], 1, 1e-5);
    EXPECT_LT(found.late_gain, 1);  // from 24.2 at the start
    EXPECT_GT(found.late_gain, 0);
    const Minimum hasty = minimize(valley, {-1.2, 1}, 1, 1e-15, [] { return true; });
    EXPECT_NEAR(hasty.late_gain, 24.2 - hasty.value, 1e-9);
    EXPECT_EQ(minimize(valley, {-1.2, 1}, 500, 1e-15, [] { return false; }).iterations, 0);
}

}  // namespace
}  // namespace headroom
