#include "core/lab/mlp_stack.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/lab/linear_fit.h"
#include "core/lab/orthogonal.h"
#include "core/lab/random_numbers.h"
#include "core/linalg/svd.h"

namespace headroom {
namespace {

TEST(MlpStack, GradientsMatchFiniteDifferences) {
    for (const MlpKind kind : {MlpKind::kGelu, MlpKind::kSwiglu, MlpKind::kRelu2})
        for (const bool skip : {false, true}) {
            MlpStack stack({5, 7, 3, kind, skip}, 1);
            const auto x = normal_floats("x", 2, 6, 5), y = normal_floats("y", 3, 6, 5);
            const auto gradients = stack.gradients(x, y);
            for (size_t m = 0; m < gradients.size(); ++m) {
                const size_t i = (m * 11 + 3) % gradients[m].size();
                const auto loss_at = [&](float shift) {
                    const float kept = stack.weights()[m][i];
                    stack.weights()[m][i] += shift;
                    double loss = 0;
                    stack.gradients(x, y, &loss);
                    stack.weights()[m][i] = kept;
                    return loss;
                };
                const double h = 4e-3;
                const double numeric =
                    (loss_at(static_cast<float>(h)) - loss_at(static_cast<float>(-h))) / (2 * h);
                EXPECT_NEAR(gradients[m][i], numeric, 2e-3 * (0.1 + std::abs(numeric)))
                    << static_cast<int>(kind) << skip << " matrix " << m;
            }
        }
}

TEST(MlpStack, LearnsAnotherOfItsShape) {
    MlpStack target({8, 16, 1, MlpKind::kGelu, false}, 1),
        model({8, 16, 1, MlpKind::kGelu, false}, 2);
    const StackOptimizer optimizer{1e-2, 0, 3, 300};
    double first = 0, last = 0;
    for (uint64_t step = 0; step < 300; ++step) {
        const auto x = normal_floats("x", step, 128, 8);
        last = model.train_step(x, target.forward(x), optimizer);
        if (step == 0) first = last;
    }
    EXPECT_LT(last, 0.05 * first);
}

TEST(MlpStack, LearnsFasterByMuonThanByAdamW) {
    const auto last_loss = [](StackUpdate update, double lr) {
        MlpStack target({16, 64, 1, MlpKind::kGelu, false}, 1),
            model({16, 64, 1, MlpKind::kGelu, false}, 2);
        const StackOptimizer optimizer{lr, 0, 3, 150, update};
        double last = 0;
        for (uint64_t step = 0; step < 150; ++step) {
            const auto x = normal_floats("x", step, 128, 16);
            last = model.train_step(x, target.forward(x), optimizer);
        }
        return last;
    };
    EXPECT_LT(last_loss(StackUpdate::kMuon, 0.05), 0.8 * last_loss(StackUpdate::kAdamW, 1e-2));
}

TEST(Orthogonalized, KeepsTheSingularDirectionsAndEvensTheValues) {
    for (const auto& shape : {std::pair<int64_t, int64_t>{6, 20}, {20, 6}, {9, 9}}) {
        const int64_t rows = shape.first, cols = shape.second;
        const std::vector<float> g = normal_floats("g", 7, rows, cols);
        const std::vector<float> even = orthogonalized(g, rows, cols);
        const auto as_matrix = [&](const std::vector<float>& m) {
            return Matrix(rows, cols, std::vector<double>(m.begin(), m.end()));
        };
        const Matrix x = as_matrix(g), y = as_matrix(even);
        // Of equal directions X^T Y is symmetric, and so is X Y^T.
        for (const Matrix& p : {product(transposed(x), y), product(x, transposed(y))})
            for (int64_t i = 0; i < p.rows; ++i)
                for (int64_t j = 0; j < i; ++j) EXPECT_NEAR(p.at(i, j), p.at(j, i), 2e-5);
        const std::vector<double> values = singular_values(rows < cols ? transposed(y) : y);
        EXPECT_LT(values.front(), 1.25);
        EXPECT_GT(values[static_cast<size_t>(std::min(rows, cols)) - (rows == cols ? 2 : 1)], 0.6);
    }
    EXPECT_EQ(orthogonalized(std::vector<float>(6), 2, 3), std::vector<float>(6));
}

TEST(LinearFit, FindsALinearMapBatchByBatch) {
    const Matrix map = normal_matrix("map", 1, 6, 4);
    LinearFit fit(6, 4);
    for (uint64_t batch = 0; batch < 5; ++batch) {
        const auto x = normal_floats("x", batch, 50, 6);
        fit.add(x, linear_map(map, x));
    }
    const Matrix found = fit.solve(1e-9);
    for (size_t i = 0; i < map.values.size(); ++i)
        EXPECT_NEAR(found.values[i], map.values[i], 1e-5);
    // Much ridge takes everything to 0.
    for (const double value : fit.solve(1e12).values) EXPECT_NEAR(value, 0, 1e-6);
}

TEST(RelativeErrorOf, IsOfNormsAndCosines) {
    const RelativeError error = relative_error({1, 0, 0, 2}, {1, 0, 2, 0}, 2);
    EXPECT_NEAR(error.error, std::sqrt(8.0 / 5), 1e-12);
    EXPECT_NEAR(error.cosine_distance, 0.5, 1e-12);
}

}  // namespace
}  // namespace headroom
