#include "core/ops/attention.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/cached_attention.h"
#include "tests/core/ops/op_call.h"

namespace headroom {
namespace {

using Numbers = std::vector<double>;

AttentionOptions options(int64_t n_head, int64_t n_kv_head, int64_t d_head) {
    AttentionOptions o;
    o.n_head = n_head;
    o.n_kv_head = n_kv_head;
    o.d_head = d_head;
    o.scale = 0.4;
    for (int g = 0; g < static_cast<int>(n_kv_head); ++g) {
        o.key_heads.push_back({1, g});
        o.value_heads.push_back({2, g});
    }
    return o;
}

constexpr int64_t B = 2, T = 70;

TestTensor f64_columns(int64_t columns, const Numbers& numbers) {
    return {{DType::kF64, {B, T, columns}}, numbers};
}

/// Vaswani et al. 2017, section 3.2.1, one head, written out: softmax(scale Q K^T + mask) V.
/// q, k, v [T][d].
std::vector<Numbers> one_head(const std::vector<Numbers>& q, const std::vector<Numbers>& k,
                              const std::vector<Numbers>& v, double scale) {
    std::vector<Numbers> out;
    for (size_t i = 0; i < q.size(); ++i) {
        Numbers weights;
        double total = 0;
        for (size_t j = 0; j <= i; ++j) {
            double dot = 0;
            for (size_t c = 0; c < q[i].size(); ++c) dot += q[i][c] * k[j][c];
            weights.push_back(std::exp(scale * dot));
            total += weights.back();
        }
        Numbers row(v[0].size(), 0.0);
        for (size_t j = 0; j <= i; ++j)
            for (size_t c = 0; c < row.size(); ++c) row[c] += weights[j] / total * v[j][c];
        out.push_back(row);
    }
    return out;
}

/// Head `head` of batch row b, as rows.
std::vector<Numbers> slice(const Numbers& x, int64_t columns, int64_t b, int64_t head, int64_t d) {
    std::vector<Numbers> rows;
    for (int64_t t = 0; t < T; ++t) {
        const auto at = x.begin() + (b * T + t) * columns + head * d;
        rows.emplace_back(at, at + d);
    }
    return rows;
}

/// Of one token there is nothing to choose from, however large its score.
TEST(Attention, OneTokenAttendsToItselfWhateverItsScore) {
    for (const DType type : {DType::kF32, DType::kBF16})
        for (const double size : {1e3, 3.7e5, 1.1e7, 3e9}) {
            Numbers q = normal_numbers({1, 1, 8}, 1);
            for (double& number : q) number *= size;
            const Numbers v = normal_numbers({1, 1, 8}, 3);
            const TensorType row{type, {1, 1, 8}};
            const Numbers out =
                call_op(Attention(options(1, 1, 8)), {{row, q}, {row, q}, {row, v}})[0];
            for (size_t c = 0; c < v.size(); ++c) EXPECT_NEAR(out[c], v[c], 2e-2) << size;
        }
}

TEST(Attention, IsThePapersFormula) {
    const int64_t n_head = 3, d = 5;
    const Numbers q = normal_numbers({B, T, 15}, 1), k = normal_numbers({B, T, 15}, 2),
                  v = normal_numbers({B, T, 15}, 3);
    const Numbers out = call_op(Attention(options(n_head, n_head, d)),
                                {f64_columns(15, q), f64_columns(15, k), f64_columns(15, v)})[0];
    for (int64_t b = 0; b < B; ++b)
        for (int64_t h = 0; h < n_head; ++h) {
            const auto expected =
                one_head(slice(q, 15, b, h, d), slice(k, 15, b, h, d), slice(v, 15, b, h, d), 0.4);
            const auto actual = slice(out, 15, b, h, d);
            for (size_t t = 0; t < expected.size(); ++t)
                for (size_t c = 0; c < expected[t].size(); ++c)
                    ASSERT_NEAR(actual[t][c], expected[t][c], 1e-12);
        }
}

TEST(Attention, SavesTheLogOfTheSumOfTheScores) {
    const Numbers q = normal_numbers({B, T, 4}, 1), k = normal_numbers({B, T, 4}, 2);
    const Numbers lse = call_op(Attention(options(1, 1, 4)),
                                {f64_columns(4, q), f64_columns(4, k), f64_columns(4, k)})[1];
    double sum = 0;
    for (size_t j = 0; j <= 5; ++j) {
        double dot = 0;
        for (size_t c = 0; c < 4; ++c) dot += q[5 * 4 + c] * k[j * 4 + c];
        sum += std::exp(0.4 * dot);
    }
    EXPECT_NEAR(lse[5], std::log(sum), 1e-12);
}

TEST(Attention, FutureTokensDoNotChangeThePast) {
    const Numbers q = normal_numbers({B, T, 12}, 1), v = normal_numbers({B, T, 12}, 3);
    Numbers k = normal_numbers({B, T, 12}, 2);
    for (const DType dtype : {DType::kF32, DType::kF64, DType::kBF16}) {
        const TensorType type{dtype, {B, T, 12}};
        const auto run = [&](const Numbers& keys, const Numbers& values) {
            return call_op(Attention(options(2, 2, 6)),
                           {TestTensor(type, q), TestTensor(type, keys), TestTensor(type, values)});
        };
        Numbers keys = k, values = v;
        for (int64_t b = 0; b < B; ++b)
            for (int64_t e = (b * T + 40) * 12; e < (b * T + T) * 12; ++e) {
                keys[static_cast<size_t>(e)] += 3.0;
                values[static_cast<size_t>(e)] *= -2.0;
            }
        const Numbers before = run(k, v)[0], after = run(keys, values)[0];
        int changed = 0;
        for (size_t e = 0; e < T * 12; ++e) {
            if (e < 40 * 12)
                ASSERT_EQ(before[e], after[e]) << name_of(dtype) << " token " << e / 12;
            else
                changed += before[e] != after[e] ? 1 : 0;
        }
        EXPECT_GT(changed, 300) << "of 360 numbers that see the change";
    }
}

TEST(Attention, GroupedHeadsEqualRepeatedHeads) {
    const Numbers q = normal_numbers({B, T, 12}, 1), k = normal_numbers({B, T, 6}, 2),
                  v = normal_numbers({B, T, 6}, 3);
    AttentionOptions repeated = options(4, 4, 3);
    repeated.key_heads = {{1, 0}, {1, 0}, {1, 1}, {1, 1}};
    repeated.value_heads = {{2, 0}, {2, 0}, {2, 1}, {2, 1}};
    const auto inputs = [&] {
        return std::vector{f64_columns(12, q), f64_columns(6, k), f64_columns(6, v)};
    };
    EXPECT_EQ(call_op(Attention(options(4, 2, 3)), inputs()),
              call_op(Attention(repeated), inputs()));
}

TEST(Attention, ReadsHeadsWhereverTheyLie) {
    const Numbers q = normal_numbers({B, T, 6}, 1), k = normal_numbers({B, T, 6}, 2),
                  v = normal_numbers({B, T, 6}, 3);
    // The second value head as the third head of a wider tensor of another layer.
    Numbers own, first = normal_numbers({B, T, 12}, 4);
    for (int64_t row = 0; row < B * T; ++row)
        for (int64_t c = 0; c < 3; ++c) {
            own.push_back(v[static_cast<size_t>(row * 6 + c)]);
            first[static_cast<size_t>(row * 12 + 6 + c)] = v[static_cast<size_t>(row * 6 + 3 + c)];
        }
    AttentionOptions elsewhere = options(2, 2, 3);
    elsewhere.value_heads = {{2, 0}, {3, 2}};
    EXPECT_EQ(call_op(Attention(elsewhere), {f64_columns(6, q), f64_columns(6, k),
                                             f64_columns(3, own), f64_columns(12, first)}),
              call_op(Attention(options(2, 2, 3)),
                      {f64_columns(6, q), f64_columns(6, k), f64_columns(6, v)}));
}

TEST(Attention, ValueThatIsZeroGivesZero) {
    AttentionOptions zero = options(2, 2, 3);
    zero.value_heads[1] = {-1, 0};
    const Numbers x = normal_numbers({B, T, 6}, 1);
    const Numbers out =
        call_op(Attention(zero), {f64_columns(6, x), f64_columns(6, x), f64_columns(6, x)})[0];
    for (size_t e = 0; e < out.size(); ++e) {
        if (e % 6 >= 3)
            ASSERT_EQ(out[e], 0.0);
        else
            ASSERT_NE(out[e], 0.0);
    }
}

TEST(Attention, DropoutKeepsTheMean) {
    // With equal scores and values of one, the output is the mean of the dropout factors.
    AttentionOptions dropped = options(2, 2, 3);
    dropped.dropout = 0.3;
    const Numbers zero(B * T * 6, 0.0), one(B * T * 6, 1.0);
    StepContext step;
    step.seed = 3;
    const auto run = [&] {
        return call_op(Attention(dropped),
                       {f64_columns(6, zero), f64_columns(6, zero), f64_columns(6, one)}, step)[0];
    };
    const Numbers out = run();
    double mean = 0;
    int rows = 0;
    for (int64_t row = 0; row < B * T; ++row)
        if (row % T > T / 2) {
            mean += out[static_cast<size_t>(row * 6)];
            ++rows;
        }
    EXPECT_NEAR(mean / rows, 1.0, 0.06);
    EXPECT_EQ(run(), out);
    step.micro = 1;
    EXPECT_NE(run(), out);
}

TEST(Attention, RefusesHeadsThatDoNotDivide) {
    AttentionOptions o = options(4, 2, 3);
    o.n_head = 5;
    EXPECT_THROW(Attention{o}, UserError);
    AttentionOptions lost = options(4, 2, 3);
    lost.value_heads.pop_back();
    EXPECT_THROW(Attention{lost}, UserError);
    AttentionOptions certain = options(4, 2, 3);
    certain.dropout = 1.0;
    EXPECT_THROW(Attention{certain}, UserError);
}

TEST(Attention, RefusesHeadsThatDoNotExist) {
    const TensorType q{DType::kF32, {1, 4, 6}};
    for (const HeadRef& ref : {HeadRef{3, 0}, HeadRef{1, 2}, HeadRef{1, -1}, HeadRef{-1, 0}}) {
        AttentionOptions o = options(2, 2, 3);
        o.key_heads[1] = ref;
        const std::vector<TensorType> types{q, q, q};
        EXPECT_THROW(Attention(o).infer(types), UserError) << ref.input << " " << ref.head;
    }
}

/// Heads of a latent and its rotary part, of two layers together, and of nothing, as decoding has.
CachedAttentionOptions cached_segments() {
    CachedAttentionOptions o;
    o.n_head = 6;
    o.n_kv_head = 3;
    o.query_width = 21;
    o.out_width = 19;
    o.scale = 0.3;
    o.n_cache = 2;
    o.keys = {{{0, 0, 0, 16, 0}, {1, 1, 2, 5, 16}}, {{1, 0, 0, 18, 3}}, {}};
    o.values = {{{0, 0, 0, 19, 0}}, {{1, 0, 1, 17, 2}, {1, 1, 0, 9, 7}}, {}};
    return o;
}

/// Many rows at once go by tiles, one alone does not; positions after the last row hold rubbish.
void expect_rows_together_are_rows_alone(DType dtype, double tolerance) {
    constexpr int64_t batch = 2, capacity = 90, width = 19;
    const CachedAttention op(cached_segments());
    const Shape cache{batch, 2, capacity, width};
    const TestTensor k({dtype, cache}, normal_numbers(cache, 1)),
        v({dtype, cache}, normal_numbers(cache, 2));
    for (const int64_t position : {0, 23, 49})
        for (const int64_t rows : {8, 33, 41}) {
            const Shape shape{batch, 41, 6 * 21};
            TestTensor q({dtype, shape}, normal_numbers(shape, 3));
            StepContext step;
            step.position = position;
            step.rows = rows;
            const Numbers together = call_op(op, {q, k, v}, step)[0];
            const Numbers numbers = q.numbers();
            for (int64_t t = 0; t < rows; ++t) {
                Numbers one;
                for (int64_t b = 0; b < batch; ++b) {
                    const auto from = numbers.begin() + (b * 41 + t) * 126;
                    one.insert(one.end(), from, from + 126);
                }
                step.position = position + t;
                step.rows = 1;
                const TestTensor row({dtype, {batch, 1, 126}}, one);
                const Numbers alone = call_op(op, {row, k, v}, step)[0];
                for (int64_t b = 0; b < batch; ++b)
                    for (int64_t c = 0; c < 6 * width; ++c)
                        ASSERT_NEAR(together[static_cast<size_t>((b * 41 + t) * 6 * width + c)],
                                    alone[static_cast<size_t>(b * 6 * width + c)], tolerance)
                            << position << " + " << t << " of " << rows << ", " << c;
            }
            for (int64_t c = 0; c < (41 - rows) * 6 * width; ++c)
                ASSERT_EQ(together[static_cast<size_t>(rows * 6 * width + c)], 0) << "no token";
        }
}

TEST(CachedAttention, GivesRowsTogetherWhatItGivesThemAlone) {
    expect_rows_together_are_rows_alone(DType::kF64, 1e-13);
    expect_rows_together_are_rows_alone(DType::kF32, 1e-5);
    expect_rows_together_are_rows_alone(DType::kBF16, 0.03);
}

}  // namespace
}  // namespace headroom
