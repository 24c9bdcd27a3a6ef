#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/cpu/weight_panels.h"
#include "core/ops/activation.h"
#include "core/ops/adamw.h"
#include "core/ops/bias.h"
#include "core/ops/column_mix.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/dropout.h"
#include "core/ops/dyt.h"
#include "core/ops/embedding.h"
#include "core/ops/hyper_weights.h"
#include "core/ops/linear_cross_entropy.h"
#include "core/ops/norm.h"
#include "core/ops/patches.h"
#include "core/ops/pool.h"
#include "core/ops/rotary.h"
#include "tests/core/ops/op_call.h"

// Operators against their papers' formulas, written out here a second time.

namespace headroom {
namespace {

using Numbers = std::vector<double>;
using testing::HasSubstr;

TestTensor f64(const Shape& shape, const Numbers& numbers) {
    return {{DType::kF64, shape}, numbers};
}

TEST(LayerNorm, IsThePapersFormula) {
    const Numbers x = normal_numbers({3, 4}, 1), gain = {1.0, 0.5, -2.0, 3.0};
    const auto outputs = call_op(LayerNorm(1e-5), {f64({3, 4}, x), f64({4}, gain)});
    for (size_t row = 0; row < 3; ++row) {
        const double* a = &x[row * 4];
        const double mean = (a[0] + a[1] + a[2] + a[3]) / 4;
        double variance = 0;
        for (size_t c = 0; c < 4; ++c) variance += (a[c] - mean) * (a[c] - mean) / 4;
        for (size_t c = 0; c < 4; ++c)
            EXPECT_NEAR(outputs[0][row * 4 + c],
                        (a[c] - mean) / std::sqrt(variance + 1e-5) * gain[c], 1e-13);
        EXPECT_NEAR(outputs[1][row], mean, 1e-14);
        EXPECT_NEAR(outputs[2][row], 1 / std::sqrt(variance + 1e-5), 1e-12);
    }
}

TEST(LayerNorm, DoesNotChangeWithTheMean) {
    const Numbers x = normal_numbers({5, 64}, 1), gain(64, 1.0);
    Numbers moved = x;
    for (double& value : moved) value += 1024.0;
    const Numbers y = call_op(LayerNorm(1e-5), {f64({5, 64}, x), f64({64}, gain)})[0];
    const Numbers z = call_op(LayerNorm(1e-5), {f64({5, 64}, moved), f64({64}, gain)})[0];
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], z[i], 1e-9);
}

TEST(RmsNorm, IsThePapersFormula) {
    const Numbers x = {3.0, 4.0, 0.0, 0.0}, gain = {1.0, 2.0, 1.0, 1.0};
    const auto outputs = call_op(RmsNorm(0.0), {f64({1, 4}, x), f64({4}, gain)});
    EXPECT_NEAR(outputs[0][0], 3.0 / 2.5, 1e-14);  // rms = sqrt(25 / 4)
    EXPECT_NEAR(outputs[0][1], 2.0 * 4.0 / 2.5, 1e-14);
    EXPECT_EQ(outputs[0][2], 0.0);
}

TEST(RmsNorm, NormsEveryHeadByItself) {
    const Numbers x = {3.0, 4.0, 5.0, 12.0}, gain = {1.0, 2.0};
    const Numbers y = call_op(RmsNorm(0.0), {f64({1, 4}, x), f64({2}, gain)})[0];
    const double first = std::sqrt(12.5), second = std::sqrt(84.5);  // of (3, 4) and (5, 12)
    const Numbers expected = {3.0 / first, 2.0 * 4.0 / first, 5.0 / second, 2.0 * 12.0 / second};
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], expected[i], 1e-14);
}

TEST(DyT, IsThePapersFormula) {
    const Numbers y = call_op(DyT(), {f64({1, 2}, {0.5, -3.0}), f64({2}, {2.0, 1.0}),
                                      f64({2}, {0.1, -0.2}), f64({1}, {0.8})})[0];
    EXPECT_NEAR(y[0], 2.0 * std::tanh(0.4) + 0.1, 1e-15);
    EXPECT_NEAR(y[1], std::tanh(-2.4) - 0.2, 1e-15);
}

TEST(PlacePatches, StandBehindTheClassTokenWithTheirPlaces) {
    const Numbers x =
        call_op(PlacePatches({}), {f64({1, 2, 2}, {1, 2, 3, 4}), f64({1, 2}, {-1, -2}),
                                   f64({3, 2}, {10, 20, 30, 40, 50, 60})})[0];
    EXPECT_EQ(x, (Numbers{9, 18, 31, 42, 53, 64}));
}

TEST(Pool, IsTheFirstRowOrTheMean) {
    const TestTensor x = f64({2, 2, 2}, {1, 2, 3, 6, 5, 6, -5, 0});
    EXPECT_EQ(call_op(Pool(PoolKind::kFirst), {x})[0], (Numbers{1, 2, 5, 6}));
    EXPECT_EQ(call_op(Pool(PoolKind::kMean), {x})[0], (Numbers{2, 4, 0, 3}));
}

// Rows: told rightly; wrongly; two equal largest logits, of which the first counts; no target.
TEST(CrossEntropy, IsThePapersFormulaAndCountsWhatIsRight) {
    const Numbers logits = {1.0, 3.0, 2.0, 0.5, -1.0, 0.0, 2.0, 2.0, 1.0, 9.0, 9.0, 9.0};
    const TestTensor targets{{DType::kI32, {4}}, {1, 2, 1, -1}};
    const auto outputs = call_op(CrossEntropy(), {f64({4, 3}, logits), targets});
    double loss = 0;
    const int of_row[] = {1, 2, 1};
    for (size_t row = 0; row < 3; ++row) {
        double sum = 0;
        for (size_t c = 0; c < 3; ++c) sum += std::exp(logits[row * 3 + c]);
        loss += std::log(sum) - logits[row * 3 + static_cast<size_t>(of_row[row])];
    }
    EXPECT_NEAR(outputs[0][0], loss / 3, 1e-14);
    EXPECT_EQ(outputs[1][0], 1.0);
}

TEST(AddBias, AddsTheSameToEveryRow) {
    const Numbers y = call_op(AddBias(), {f64({2, 2}, {1, 2, 3, 4}), f64({2}, {10, -1})})[0];
    EXPECT_EQ(y, (Numbers{11, 1, 13, 3}));
}

// Position 2, two pairs of angles 2 and 2 / 10000^(1/2) = 0.02.
TEST(Rotary, TurnsPairsByTheirPosition) {
    Numbers x(12, 0.0);
    x[8] = 1.0, x[9] = 2.0, x[10] = 3.0, x[11] = 4.0;
    const auto turned = [](double a, double b, double angle) {
        return std::pair{a * std::cos(angle) - b * std::sin(angle),
                         b * std::cos(angle) + a * std::sin(angle)};
    };
    RotaryOptions options{.d_head = 4, .width = 4};
    const Numbers halves = call_op(Rotary(options), {f64({1, 3, 4}, x)})[0];
    const auto [a, c] = turned(1.0, 3.0, 2.0);
    const auto [b, d] = turned(2.0, 4.0, 0.02);
    for (const auto& [at, expected] : {std::pair{8u, a}, {9u, b}, {10u, c}, {11u, d}})
        EXPECT_NEAR(halves[at], expected, 1e-15);
    options.interleaved = true;
    const Numbers pairs = call_op(Rotary(options), {f64({1, 3, 4}, x)})[0];
    const auto [e, f] = turned(1.0, 2.0, 2.0);
    const auto [g, h] = turned(3.0, 4.0, 0.02);
    for (const auto& [at, expected] : {std::pair{8u, e}, {9u, f}, {10u, g}, {11u, h}})
        EXPECT_NEAR(pairs[at], expected, 1e-15);
}

TEST(Rotary, ScoresDependOnTheDistanceAlone) {
    const Numbers x = normal_numbers({1, 1, 6}, 3), z = normal_numbers({1, 1, 6}, 4);
    Numbers q, k;  // the same vector at every position
    for (int t = 0; t < 8; ++t) {
        q.insert(q.end(), x.begin(), x.end());
        k.insert(k.end(), z.begin(), z.end());
    }
    const Rotary rotary({.d_head = 6, .width = 6});
    q = call_op(rotary, {f64({1, 8, 6}, q)})[0];
    k = call_op(rotary, {f64({1, 8, 6}, k)})[0];
    const auto score = [&](size_t i, size_t j) {
        double dot = 0;
        for (size_t c = 0; c < 6; ++c) dot += q[i * 6 + c] * k[j * 6 + c];
        return dot;
    };
    EXPECT_NEAR(score(7, 4), score(3, 0), 1e-12);
    EXPECT_GT(std::abs(score(7, 4) - score(7, 3)), 1e-3);
}

TEST(ColumnMix, SumsWeightedColumnsOfItsInputs) {
    // y = [w a0 + (1 - w) b1, w a1 + (1 - w) b2 | 0 | 0.5 a2], w = 0.25.
    const ColumnMix mix(
        {2, {{2, {{0, 0, 0, 1, 0, 0}, {1, 1, 1, -1, 0, 0}}}, {1, {}}, {1, {{0, 2, 0.5}}}}});
    const Numbers y =
        call_op(mix, {f64({1, 3}, {4, 8, 6}), f64({1, 3}, {1, 20, 40}), f64({1}, {0.25})})[0];
    EXPECT_EQ(y, (Numbers{0.25 * 4 + 0.75 * 20, 0.25 * 8 + 0.75 * 40, 0.0, 3.0}));
}

TEST(ScaledSigmoid, IsItsFormula) {
    const Numbers y = call_op(ScaledSigmoid(2.0), {f64({2}, {0.0, std::log(3.0)})})[0];
    EXPECT_NEAR(y[0], 1.0, 1e-15);
    EXPECT_NEAR(y[1], 1.5, 1e-15);
}

TEST(Sinkhorn, RowsAndColumnsSumToOne) {
    const Numbers r = call_op(Sinkhorn(), {f64({4, 4}, normal_numbers({4, 4}, 5))})[0];
    for (size_t i = 0; i < 4; ++i) {
        double row = 0, column = 0;
        for (size_t j = 0; j < 4; ++j) {
            row += r[i * 4 + j];
            column += r[j * 4 + i];
        }
        EXPECT_NEAR(row, 1.0, 1e-14);  // the last step of a round divides the rows
        EXPECT_NEAR(column, 1.0, 1e-6);
    }
}

TEST(Sinkhorn, LeavesTheRatiosOfAProductOfTwoVectors) {
    // e^(u_i + v_j) is a rank-one matrix, which becomes 1 / n everywhere.
    const Numbers r = call_op(Sinkhorn(), {f64({2, 2}, {1.0, 3.0, -1.0, 1.0})})[0];
    for (const double value : r) EXPECT_NEAR(value, 0.5, 1e-14);
}

// Φ(1) = 0.841344746068543 and Φ(-2) = 0.022750131948179 from tables of the normal distribution.
TEST(Activation, GeluIsXTimesTheNormalDistribution) {
    const Numbers x = {1.0, -2.0, 0.0, 10.0};
    const Numbers y = call_op(Activation(ActivationKind::kGelu), {f64({4}, x)})[0];
    EXPECT_NEAR(y[0], 0.841344746068543, 1e-14);
    EXPECT_NEAR(y[1], -2.0 * 0.022750131948179, 1e-14);
    EXPECT_EQ(y[2], 0.0);
    EXPECT_NEAR(y[3], 10.0, 1e-14);
}

TEST(Activation, FloatGeluKeepsItsDigitsInTheTail) {
    const Numbers x = {-5.0};
    const TestTensor input({DType::kF32, {1}}, x);
    const Numbers y = call_op(Activation(ActivationKind::kGelu), {input})[0];
    EXPECT_NEAR(y[0] / (-5.0 * 2.866515718791946e-7), 1.0, 1e-6);
}

TEST(Activation, OtherKindsAreTheirFormulas) {
    const auto at = [](ActivationKind kind, double x) {
        return call_op(Activation(kind), {f64({1}, {x})})[0][0];
    };
    const double u = std::sqrt(2.0 / M_PI) * (1.5 + 0.044715 * 1.5 * 1.5 * 1.5);
    EXPECT_NEAR(at(ActivationKind::kGeluTanh, 1.5), 0.75 * (1.0 + std::tanh(u)), 1e-14);
    EXPECT_NEAR(at(ActivationKind::kSilu, 2.0), 2.0 / (1.0 + std::exp(-2.0)), 1e-14);
    EXPECT_EQ(at(ActivationKind::kRelu, -3.0), 0.0);
    EXPECT_EQ(at(ActivationKind::kRelu, 3.0), 3.0);
    EXPECT_EQ(at(ActivationKind::kRelu2, 3.0), 9.0);
    EXPECT_EQ(at(ActivationKind::kRelu2, -3.0), 0.0);
}

TEST(Activation, NotANumberShows) {
    const Numbers x = {std::nan(""), 1.0};
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kBF16}) {
        const TestTensor input({dtype, {2}}, x);
        for (const ActivationKind kind :
             {ActivationKind::kGelu, ActivationKind::kGeluTanh, ActivationKind::kSilu}) {
            const Numbers y = call_op(Activation(kind), {input})[0];
            EXPECT_TRUE(std::isnan(y[0])) << name_of(kind) << " " << name_of(dtype);
            EXPECT_FALSE(std::isnan(y[1]));
        }
    }
}

TEST(Dropout, ScalesWhatItKeepsAndDependsOnTheMoment) {
    const Numbers x(10000, 2.0);
    StepContext step;
    step.seed = 4;
    const auto run = [&] { return call_op(Dropout(0.25, 6), {f64({100, 100}, x)}, step)[0]; };
    const Numbers y = run();
    int64_t dropped = 0;
    for (const double value : y) {
        if (value == 0.0)
            ++dropped;
        else
            ASSERT_NEAR(value, 2.0 / 0.75, 1e-14);
    }
    EXPECT_NEAR(static_cast<double>(dropped), 2500, 5 * std::sqrt(10000 * 0.25 * 0.75));
    EXPECT_EQ(run(), y);
    step.step = 2;
    EXPECT_NE(run(), y);
    EXPECT_THROW(Dropout(1.0, 0), UserError);
    EXPECT_THROW(Dropout(-0.1, 0), UserError);
}

TEST(Embedding, AddsTheRowsOfTokenAndPosition) {
    const TestTensor tokens({DType::kI32, {1, 2}}, {2, 0});
    const Numbers x = call_op(
        Embedding(DType::kF64),
        {tokens, f64({3, 2}, {1, 2, 3, 4, 5, 6}), f64({4, 2}, {10, 20, 30, 40, 0, 0, 0, 0})})[0];
    EXPECT_EQ(x, (Numbers{15, 26, 31, 42}));
}

TEST(Embedding, RefusesTokensOutsideTheVocabulary) {
    for (const double token : {3.0, -1.0}) {
        const TestTensor tokens({DType::kI32, {1, 2}}, {0, token});
        try {
            call_op(Embedding(DType::kF64), {tokens, f64({3, 2}, Numbers(6, 1.0))});
            ADD_FAILURE() << "took token " << token;
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), HasSubstr("vocabulary of 3"));
        }
    }
}

TEST(LinearCrossEntropy, IsTheMeanCrossEntropyOfTheValidTargets) {
    const Numbers x = normal_numbers({4, 3}, 1), w = normal_numbers({5, 3}, 2);
    const std::vector<int> target = {4, -1, 0, 2};
    const TestTensor targets({DType::kI32, {4}}, {4, -1, 0, 2});
    const double loss = call_op(LinearCrossEntropy({.tied = true}),
                                {f64({4, 3}, x), f64({5, 3}, w), targets})[0][0];
    double expected = 0;
    for (size_t i : {0u, 2u, 3u}) {
        double total = 0, chosen = 0;
        for (size_t token = 0; token < 5; ++token) {
            double logit = 0;
            for (size_t c = 0; c < 3; ++c) logit += x[i * 3 + c] * w[token * 3 + c];
            total += std::exp(logit);
            if (static_cast<int>(token) == target[i]) chosen = logit;
        }
        expected += (std::log(total) - chosen) / 3.0;
    }
    EXPECT_NEAR(loss, expected, 1e-13);
}

/// Runs AdamW on one weight for some steps from w = 1, m = v = 0.
double adamw_weight(const AdamWOptions& options, const std::vector<double>& gradients,
                    double norm) {
    const AdamW op(options);
    TestTensor g({DType::kF64, {1}}), n({DType::kF64, {1}}, {norm});
    TestTensor w({DType::kF64, {1}}, {1.0}), m({DType::kF64, {1}}), v({DType::kF64, {1}});
    CpuContext cpu;
    StepContext step;
    step.lr = 0.01;
    const std::vector<uint8_t> accumulate(3, 1);
    for (const double gradient : gradients) {
        from_doubles({gradient}, g.tensor());
        const std::vector<Tensor> in{g.tensor(), n.tensor()};
        const std::vector<Tensor> out{w.tensor(), m.tensor(), v.tensor()};
        op.run({in, out, accumulate, {}, step, cpu});
        ++step.step;
    }
    return w.numbers()[0];
}

// Loshchilov and Hutter 2019, algorithm 2, by hand: in the first step m / (1 - b1) = g and
// sqrt(v / (1 - b2)) = |g|, so the step is lr (1 + decay w) whatever g is.
TEST(AdamW, FirstStepHasTheSizeOfTheRate) {
    const AdamWOptions options{.eps = 0.0, .weight_decay = 0.5};
    EXPECT_NEAR(adamw_weight(options, {7.0}, 1.0), 1.0 - 0.01 * 0.5 - 0.01, 1e-14);
    EXPECT_NEAR(adamw_weight(options, {-7.0}, 1.0), 1.0 - 0.01 * 0.5 + 0.01, 1e-14);
}

TEST(AdamW, FollowsThePapersAlgorithm) {
    const AdamWOptions options{
        .beta1 = 0.8, .beta2 = 0.9, .eps = 1e-3, .weight_decay = 0.1, .grad_clip = 2.0};
    const std::vector<double> gradients = {3.0, -1.0, 0.5};
    double w = 1.0, m = 0, v = 0;
    for (size_t t = 0; t < gradients.size(); ++t) {
        const double g = gradients[t] * 2.0 / (4.0 + 1e-6);
        m = 0.8 * m + 0.2 * g;
        v = 0.9 * v + 0.1 * g * g;
        const double power = static_cast<double>(t + 1);
        const double m_hat = m / (1 - std::pow(0.8, power)), v_hat = v / (1 - std::pow(0.9, power));
        w -= 0.01 * (m_hat / (std::sqrt(v_hat) + 1e-3) + 0.1 * w);
    }
    EXPECT_NEAR(adamw_weight(options, gradients, 4.0), w, 1e-13);
}

TEST(AdamW, ScalesTheRateOfTheStep) {
    AdamWOptions options{.eps = 0.0, .weight_decay = 0.5};
    options.lr_scale = 3.0;
    EXPECT_NEAR(adamw_weight(options, {7.0}, 1.0), 1.0 - 0.03 * 0.5 - 0.03, 1e-14);
}

TEST(AdamW, LeavesEverythingAloneWhenTheNormIsNotFinite) {
    EXPECT_EQ(adamw_weight({}, {1.0}, std::nan("")), 1.0);
}

/// A weight after one update, and its working copy in `layout`.
std::pair<Numbers, Numbers> updated_weight(const Shape& shape, MemoryLayout layout) {
    const TensorType type{DType::kF32, shape};
    Numbers gradients;
    for (int64_t i = 0; i < type.count(); ++i)
        gradients.push_back(std::sin(static_cast<double>(i)));
    std::vector<TestTensor> in{{type, gradients}, {{DType::kF64, {1}}, {1.0}}};
    std::vector<TestTensor> out{{type, gradients},
                                TestTensor(type),
                                TestTensor(type),
                                TestTensor({DType::kBF16, shape, layout})};
    StepContext step;
    step.lr = 0.01;
    run_op(AdamW({}, DType::kBF16), in, out, {1, 1, 1, 0}, step);
    return {out[0].numbers(), out[3].numbers()};
}

TEST(AdamW, RoundsTheNewWeightToItsWorkingCopy) {
    // Several pieces, and no whole vectors at the end.
    const auto [weights, copied] = updated_weight({20011}, MemoryLayout::kRows);
    for (size_t i = 0; i < weights.size(); ++i)
        ASSERT_EQ(copied[i],
                  static_cast<double>(static_cast<float>(bf16(static_cast<float>(weights[i])))))
            << "at " << i;
}

TEST(AdamW, RoundsTheNewWeightIntoPanels) {
    const int64_t rows = 64, columns = 1056;  // more than is updated at once
    const auto [weights, copied] = updated_weight({rows, columns}, MemoryLayout::kRows);
    const auto [same, panels] = updated_weight({rows, columns}, MemoryLayout::kPanels);
    EXPECT_EQ(same, weights);
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c)
            ASSERT_EQ(panels[static_cast<size_t>(place_in_panels(rows, r, c))],
                      copied[static_cast<size_t>(r * columns + c)])
                << r << ", " << c;
}

TEST(GradientNorm, IsTheRootOfAllSquares) {
    const Numbers norm = call_op(GradientNorm(), {f64({2}, {3.0, 0.0}), f64({1, 1}, {4.0})})[0];
    EXPECT_DOUBLE_EQ(norm[0], 5.0);
}

}  // namespace
}  // namespace headroom
