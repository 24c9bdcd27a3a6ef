#include "core/absorb/absorption.h"

#include <cmath>
#include <functional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/absorb/nearest_absorbable.h"
#include "core/absorb/skip_system.h"
#include "core/base/error.h"
#include "tests/core/linalg/random_matrix.h"

namespace headroom {
namespace {

using testing::HasSubstr;

/// The activations of the papers, by their formulas.
double act(MlpKind kind, double z) {
    switch (kind) {
        case MlpKind::kRelu:
        case MlpKind::kReglu:
            return std::max(z, 0.0);
        case MlpKind::kRelu2:
            return std::max(z, 0.0) * std::max(z, 0.0);
        case MlpKind::kSilu:
        case MlpKind::kSwiglu:
            return z / (1 + std::exp(-z));
        case MlpKind::kGeluTanh:
            return z / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (z + 0.044715 * z * z * z)));
        default:
            return z / 2 * (1 + std::erf(z / std::sqrt(2.0)));
    }
}

/// y_j of one row x by loops: sum_i act(x up_i) down_ij + x skip.
std::vector<double> reference(const Mlp& mlp, const std::vector<double>& x) {
    const int64_t d = mlp.d_model();
    std::vector<double> y(x.size());
    for (int64_t i = 0; i < mlp.d_ff(); ++i) {
        double z = mlp.up_bias.empty() ? 0 : mlp.up_bias[static_cast<size_t>(i)], gate = 0;
        for (int64_t j = 0; j < d; ++j) {
            z += x[static_cast<size_t>(j)] * mlp.up.at(j, i);
            if (mlp.gated()) gate += x[static_cast<size_t>(j)] * mlp.gate.at(j, i);
        }
        const double hidden = mlp.gated() ? act(mlp.kind, gate) * z : act(mlp.kind, z);
        for (int64_t j = 0; j < d; ++j) y[static_cast<size_t>(j)] += hidden * mlp.down.at(i, j);
    }
    for (int64_t j = 0; j < d; ++j) {
        if (!mlp.down_bias.empty())
            y[static_cast<size_t>(j)] += mlp.down_bias[static_cast<size_t>(j)];
        for (int64_t k = 0; !mlp.skip.empty() && k < d; ++k)
            y[static_cast<size_t>(j)] += x[static_cast<size_t>(k)] * mlp.skip.at(k, j);
    }
    return y;
}

Mlp random_mlp(MlpKind kind, int64_t d, int64_t f, uint32_t seed) {
    Mlp mlp;
    mlp.kind = kind;
    mlp.up = random_matrix(d, f, seed);
    mlp.down = random_matrix(f, d, seed + 1);
    if (mlp.gated()) mlp.gate = random_matrix(d, f, seed + 2);
    mlp.skip = identity_matrix(d);
    return mlp;
}

void expect_equal_functions(const Mlp& a, const Mlp& b, double tolerance = 1e-12) {
    const Matrix x = random_matrix(40, a.d_model(), 99);
    for (int64_t row = 0; row < x.rows; ++row) {
        std::vector<double> input;
        for (int64_t j = 0; j < x.cols; ++j) input.push_back(3 * x.at(row, j));
        const std::vector<double> ya = reference(a, input), yb = reference(b, input);
        for (size_t j = 0; j < ya.size(); ++j)
            ASSERT_NEAR(ya[j], yb[j], tolerance * (1 + std::abs(ya[j]))) << "row " << row;
    }
}

const std::vector<MlpKind> kAbsorbing = {MlpKind::kRelu, MlpKind::kGelu, MlpKind::kGeluTanh,
                                         MlpKind::kSilu};

TEST(Absorption, RecoversTheSetOfAConstructedPairAndAbsorbsItExactly) {
    for (const MlpKind kind : kAbsorbing) {
        const std::vector<int64_t> set{0, 2, 3, 5, 8, 11, 13};
        const Mlp mlp = nearest_absorbable(random_mlp(kind, 5, 16, 7), set).mlp;
        const Absorption answer = decide_absorption(mlp);
        ASSERT_EQ(answer.decision, Decision::kYes) << answer.reason;
        EXPECT_EQ(answer.set, set);
        EXPECT_LT(*answer.residual, 1e-12);
        EXPECT_LT(*answer.coefficient_distance, 1e-9);
        EXPECT_EQ(answer.rank, 16);
        const Mlp bare = absorbed(mlp, answer);
        EXPECT_TRUE(bare.skip.empty());
        EXPECT_EQ(bare.down.values, mlp.down.values);
        expect_equal_functions(mlp, bare);
    }
}

TEST(Absorption, OfRandomPairsIsNeverPossible) {
    // Corollary 11, on sizes up to f = d², where the neurons' matrices are independent.
    const std::vector<std::pair<int64_t, int64_t>> sizes = {{2, 2}, {2, 3}, {2, 4}, {3, 3},
                                                            {3, 7}, {4, 4}, {4, 12}};
    for (uint32_t trial = 0; trial < 10000; ++trial) {
        const auto& [d, f] = sizes[trial % sizes.size()];
        const MlpKind kind = kAbsorbing[trial % kAbsorbing.size()];
        const Absorption answer = decide_absorption(random_mlp(kind, d, f, 3 * trial + 1));
        ASSERT_EQ(answer.decision, Decision::kNo) << "trial " << trial << ": " << answer.reason;
    }
}

TEST(Absorption, MissesByTheLeastWhenOneWeightMoves) {
    Mlp mlp = nearest_absorbable(random_mlp(MlpKind::kGelu, 4, 9, 3), {0, 1, 2, 5, 7}).mlp;
    mlp.down.at(2, 1) += 1e-6;
    EXPECT_EQ(decide_absorption(mlp).decision, Decision::kNo);
    mlp.stored = StoredType::kF32;  // such a step is within the rounding of float32
    EXPECT_EQ(decide_absorption(mlp).decision, Decision::kYes);
}

TEST(Absorption, GivesTheSolutionOfTheNormalEquations) {
    const Mlp mlp = random_mlp(MlpKind::kRelu, 4, 7, 21);
    const Absorption answer = decide_absorption(mlp);
    // The gradient of ‖Σ c_i up_i ⊗ down_i + I‖² vanishes.
    double squares = 0;
    Matrix left = identity_matrix(4);
    for (int64_t a = 0; a < 4; ++a)
        for (int64_t b = 0; b < 4; ++b) {
            for (int64_t i = 0; i < 7; ++i)
                left.at(a, b) += answer.coefficients[static_cast<size_t>(i)] * mlp.up.at(a, i) *
                                 mlp.down.at(i, b);
            squares += left.at(a, b) * left.at(a, b);
        }
    for (int64_t i = 0; i < 7; ++i) {
        double gradient = 0;
        for (int64_t a = 0; a < 4; ++a)
            for (int64_t b = 0; b < 4; ++b)
                gradient += left.at(a, b) * mlp.up.at(a, i) * mlp.down.at(i, b);
        EXPECT_NEAR(gradient, 0, 1e-12);
    }
    EXPECT_NEAR(*answer.residual, std::sqrt(squares), 1e-12);
    EXPECT_NEAR(*answer.relative_residual, std::sqrt(squares) / 2, 1e-12);
}

TEST(Absorption, OfAsManyNeuronsAsInputsNeedsAllOfThem) {
    const std::vector<int64_t> all{0, 1, 2, 3};
    const Mlp mlp = nearest_absorbable(random_mlp(MlpKind::kRelu, 4, 4, 5), all).mlp;
    const Absorption answer = decide_absorption(mlp);
    ASSERT_EQ(answer.decision, Decision::kYes);
    EXPECT_EQ(answer.set, all);
    expect_equal_functions(mlp, absorbed(mlp, answer));
    EXPECT_EQ(decide_absorption(random_mlp(MlpKind::kGelu, 4, 3, 5)).decision, Decision::kNo);
}

TEST(Absorption, IsUndecidedWhereNeuronsDependOnEachOther) {
    const Mlp wide = random_mlp(MlpKind::kGelu, 3, 12, 4);  // 12 > 3²
    const Absorption answer = decide_absorption(wide);
    EXPECT_EQ(answer.decision, Decision::kUndecided);
    EXPECT_EQ(answer.rank, 9);
    EXPECT_THAT(answer.reason, HasSubstr("3 of 12 neurons depend on the others"));
    EXPECT_EQ(decide_absorption(wide, {.exhaustive = 3}).decision, Decision::kNo);

    Mlp twin = random_mlp(MlpKind::kGelu, 4, 8, 4);
    for (int64_t j = 0; j < 4; ++j) twin.up.at(j, 7) = -2 * twin.up.at(j, 0);
    EXPECT_EQ(decide_absorption(twin).decision, Decision::kUndecided);
    EXPECT_FALSE(decide_absorption(twin).assumptions);
    Mlp dead = random_mlp(MlpKind::kRelu, 4, 8, 4);
    for (int64_t j = 0; j < 4; ++j) dead.down.at(3, j) = 0;
    EXPECT_EQ(decide_absorption(dead).decision, Decision::kUndecided);
}

TEST(Absorption, FindsASolutionOfASingularSystem) {
    const std::vector<int64_t> set{1, 2, 4, 6, 9};
    const Mlp mlp = nearest_absorbable(random_mlp(MlpKind::kSilu, 3, 12, 17), set).mlp;
    const Absorption answer = decide_absorption(mlp);
    ASSERT_EQ(answer.decision, Decision::kYes) << answer.reason;
    expect_equal_functions(mlp, absorbed(mlp, answer));
}

TEST(Absorption, TakesAnyLinearSkipAlsoOneWithoutAnInverse) {
    for (const bool singular : {false, true}) {
        Mlp mlp = random_mlp(MlpKind::kGelu, 5, 14, 31);
        mlp.skip = singular ? product(random_matrix(5, 2, 1), random_matrix(2, 5, 2))
                            : random_matrix(5, 5, 8);
        EXPECT_EQ(decide_absorption(mlp).decision, Decision::kNo);
        mlp = nearest_absorbable(mlp, {0, 3, 4, 6, 9, 12}).mlp;
        const Absorption answer = decide_absorption(mlp);
        ASSERT_EQ(answer.decision, Decision::kYes);
        expect_equal_functions(mlp, absorbed(mlp, answer));
    }
    Mlp none = random_mlp(MlpKind::kSwiglu, 3, 5, 1);
    none.skip = Matrix(3, 3);
    EXPECT_EQ(decide_absorption(none).decision, Decision::kYes);
}

TEST(Absorption, ReducesAnInvertibleSkipToTheIdentity) {
    // Lemma 4: in rows, x M + MLP(x) is absorbable when x + MLP(x) M^-1 is, by the same set.
    Mlp mlp = random_mlp(MlpKind::kRelu, 4, 9, 3);
    mlp.skip = random_matrix(4, 4, 77);
    mlp = nearest_absorbable(mlp, {1, 2, 5, 6, 8}).mlp;
    Mlp reduced = mlp;  // down M^-1 by Cramer-free elimination: solve X M = down
    Matrix m = transposed(mlp.skip), x = transposed(mlp.down);
    for (int64_t k = 0; k < 4; ++k)
        for (int64_t i = 0; i < 4; ++i) {
            if (i == k) continue;
            const double factor = m.at(i, k) / m.at(k, k);
            for (int64_t j = 0; j < 4; ++j) m.at(i, j) -= factor * m.at(k, j);
            for (int64_t j = 0; j < 9; ++j) x.at(i, j) -= factor * x.at(k, j);
        }
    for (int64_t k = 0; k < 4; ++k)
        for (int64_t j = 0; j < 9; ++j) reduced.down.at(j, k) = x.at(k, j) / m.at(k, k);
    reduced.skip = identity_matrix(4);
    EXPECT_EQ(decide_absorption(mlp).set, decide_absorption(reduced).set);
    EXPECT_EQ(decide_absorption(reduced).decision, Decision::kYes);
}

TEST(Absorption, TurnsBiasesWithTheirNeurons) {
    Mlp mlp = nearest_absorbable(random_mlp(MlpKind::kGelu, 3, 8, 40), {0, 2, 4, 5}).mlp;
    mlp.up_bias = random_matrix(1, 8, 5).values;
    mlp.down_bias = random_matrix(1, 3, 6).values;
    expect_equal_functions(mlp, absorbed(mlp, decide_absorption(mlp)));
}

TEST(Absorption, OfOneInputIsAlwaysPossibleForTwoReluNeurons) {
    const Mlp mlp = random_mlp(MlpKind::kRelu, 1, 3, 50);
    const Absorption answer = decide_absorption(mlp);
    ASSERT_EQ(answer.decision, Decision::kYes);
    expect_equal_functions(mlp, absorbed(mlp, answer));

    Mlp one = random_mlp(MlpKind::kRelu, 1, 1, 51);
    EXPECT_EQ(decide_absorption(one).decision, Decision::kNo);
    one.down.values[0] = -1 / one.up.values[0];
    EXPECT_EQ(decide_absorption(one).decision, Decision::kYes);
    expect_equal_functions(one, absorbed(one, decide_absorption(one)));
}

TEST(Absorption, IsImpossibleForSquaredAndGatedKindsAndShowsWhy) {
    for (const MlpKind kind :
         {MlpKind::kRelu2, MlpKind::kReglu, MlpKind::kSwiglu, MlpKind::kGeglu}) {
        Mlp mlp = random_mlp(kind, 4, 9, 12);
        mlp.skip = random_matrix(4, 4, 3);
        const Absorption answer = decide_absorption(mlp);
        ASSERT_EQ(answer.decision, Decision::kImpossible);
        const Witness& witness = *answer.witness;
        EXPECT_LT(witness.lambda.back(), 1e-5);
        EXPECT_NEAR(witness.with_skip.back(), witness.limit, 1e-4 * witness.limit);
        EXPECT_GT(witness.limit, 0.1);
        EXPECT_LT(witness.without_skip.back(), 1e-4);
        EXPECT_GT(witness.without_skip.front(), 0);
        mlp.up_bias.assign(9, 0.5);  // then the MLP has a linear part and the proof no ground
        EXPECT_EQ(decide_absorption(mlp).decision, Decision::kUndecided);
    }
}

TEST(Absorption, HasAConverse) {
    // An MLP without a skip equals x + MLP'(x) where it absorbs minus the identity.
    Mlp mlp = random_mlp(MlpKind::kGelu, 4, 9, 60);
    for (double& value : mlp.skip.values) value = -value;
    EXPECT_EQ(decide_absorption(mlp).decision, Decision::kNo);
    mlp = nearest_absorbable(mlp, {0, 1, 4, 5, 7}).mlp;
    Mlp with_skip = absorbed(mlp, decide_absorption(mlp));
    with_skip.skip = identity_matrix(4);
    Mlp without = mlp;
    without.skip = {};
    expect_equal_functions(without, with_skip);
}

TEST(NearestAbsorbable, ChangesLeastForItsSet) {
    const Mlp mlp = random_mlp(MlpKind::kRelu, 3, 8, 70);
    const std::vector<int64_t> set{1, 2, 4, 6, 7};
    const NearestAbsorbable nearest = nearest_absorbable(mlp, set);
    // The change is orthogonal to every direction that keeps the condition: A change = 0.
    Matrix change(5, 3);
    double squares = 0;
    for (size_t k = 0; k < set.size(); ++k)
        for (int64_t j = 0; j < 3; ++j) {
            const double x = nearest.mlp.down.at(set[k], j) - mlp.down.at(set[k], j);
            change.at(static_cast<int64_t>(k), j) = x;
            squares += x * x;
        }
    EXPECT_NEAR(nearest.change, std::sqrt(squares), 1e-12);
    // Rows of the change are in the span of A's rows: (1 - A^T (A A^T)^-1 A) change = 0, tested by
    // a vector that A sends to 0, made of 4 columns by determinants.
    std::vector<double> kernel(5);
    const auto minor = [&](int skip) {
        std::vector<int64_t> c;
        for (int k = 0; k < 4; ++k)
            if (k != skip) c.push_back(set[static_cast<size_t>(k)]);
        const auto u = [&](int64_t r, size_t k) { return mlp.up.at(r, c[k]); };
        return u(0, 0) * (u(1, 1) * u(2, 2) - u(1, 2) * u(2, 1)) -
               u(0, 1) * (u(1, 0) * u(2, 2) - u(1, 2) * u(2, 0)) +
               u(0, 2) * (u(1, 0) * u(2, 1) - u(1, 1) * u(2, 0));
    };
    for (int k = 0; k < 4; ++k) kernel[static_cast<size_t>(k)] = (k % 2 == 0 ? 1 : -1) * minor(k);
    for (int64_t j = 0; j < 3; ++j) {
        double sum = 0;
        for (size_t k = 0; k < 5; ++k) sum += kernel[k] * change.at(static_cast<int64_t>(k), j);
        EXPECT_NEAR(sum, 0, 1e-12);
    }
    const NearestAbsorbable free_choice = nearest_absorbable(mlp);
    EXPECT_EQ(decide_absorption(free_choice.mlp).decision, Decision::kYes);
}

/// One of the sets that are tried is that of all neurons.
TEST(NearestAbsorbable, OfTheSetsThatAreTriedTheNearestIsTaken) {
    for (uint32_t seed = 70; seed < 90; ++seed) {
        const Mlp mlp = random_mlp(MlpKind::kRelu, 3, 8, seed);
        const NearestAbsorbable all = nearest_absorbable(mlp, {0, 1, 2, 3, 4, 5, 6, 7});
        EXPECT_LE(nearest_absorbable(mlp).change, all.change + 1e-12) << seed;
    }
}

TEST(NearestAbsorbable, RefusesWhatCannotBe) {
    const Mlp mlp = random_mlp(MlpKind::kRelu, 3, 8, 70);
    EXPECT_THROW(nearest_absorbable(mlp, {1, 2}), UserError);
    EXPECT_THROW(nearest_absorbable(mlp, {1, 2, 8}), UserError);
    EXPECT_THROW(nearest_absorbable(mlp, {1, 1, 2}), UserError);
    EXPECT_THROW(nearest_absorbable(random_mlp(MlpKind::kSwiglu, 3, 8, 70)), UserError);
}

TEST(Widened, EqualsAnyMlpWithItsSkip) {
    for (const MlpKind kind : kAbsorbing) {
        Mlp mlp = random_mlp(kind, 6, 9, 80);
        mlp.skip = random_matrix(6, 6, 81);
        mlp.up_bias = random_matrix(1, 9, 82).values;
        const Mlp wide = widened(mlp);
        EXPECT_EQ(wide.d_ff(), 15);
        expect_equal_functions(mlp, wide);
    }
    EXPECT_THROW(widened(random_mlp(MlpKind::kGelu, 6, 5, 80)), UserError);
}

}  // namespace
}  // namespace headroom
