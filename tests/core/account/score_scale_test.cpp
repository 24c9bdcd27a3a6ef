// The attention scores of fresh weights: Karbevski & Mijoski, section 5 and appendix. Their 0.0032
// and 0.0058 hold for rows of norm 1; they say that LayerNorm gives such rows, but its rows have
// the norm sqrt(d_model), for which the scores are d_model times larger. The ratio is the same in
// both.
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/model/initialize.h"
#include "tests/support/model_configs.h"

namespace headroom {
namespace {

constexpr int kRows = 1024, kWidth = 768, kHead = 64, kHeadNumber = 3;
using Matrix = std::vector<float>;  // row-major

/// Rows of normal numbers, mean 0 and norm `norm`, as LayerNorm with unit gain leaves them but for
/// the norm.
Matrix rows(double norm, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    Matrix values(size_t{kRows} * kWidth);
    for (int row = 0; row < kRows; ++row) {
        float* x = &values[static_cast<size_t>(row) * kWidth];
        double mean = 0, squares = 0;
        for (int i = 0; i < kWidth; ++i) mean += (x[i] = normal(random));
        for (int i = 0; i < kWidth; ++i) x[i] -= static_cast<float>(mean / kWidth);
        for (int i = 0; i < kWidth; ++i) squares += static_cast<double>(x[i]) * x[i];
        for (int i = 0; i < kWidth; ++i) x[i] *= static_cast<float>(norm / std::sqrt(squares));
    }
    return values;
}

Matrix initial(const ModelConfig& model, const std::string& name) {
    for (const ParameterSpec& spec : parameter_specs(model)) {
        if (spec.name != name) continue;
        Matrix values(static_cast<size_t>(spec.count()));
        fill_initial<float>(spec, 1, values);
        return values;
    }
    return {};
}

/// One head of rows * weights; without weights, the head's slice of the rows.
Matrix head_of(const Matrix& x, const Matrix& weights) {
    Matrix head(size_t{kRows} * kHead, 0.0f);
    for (size_t row = 0; row < kRows; ++row) {
        const float* in = &x[row * kWidth];
        float* out = &head[row * kHead];
        for (size_t i = 0; i < kWidth && !weights.empty(); ++i) {
            const float* weight = &weights[i * kWidth + kHeadNumber * kHead];
            for (size_t j = 0; j < kHead; ++j) out[j] += in[i] * weight[j];
        }
        for (size_t j = 0; j < kHead && weights.empty(); ++j) out[j] = in[kHeadNumber * kHead + j];
    }
    return head;
}

/// Deviation of the raw scores of all pairs of rows, before attn_scale.
double score_deviation(const ModelConfig& model, double norm) {
    const Matrix q = head_of(rows(norm, 1), initial(model, "h.0.attn.q.weight"));
    const Matrix k = head_of(rows(norm, 2), initial(model, "h.0.attn.k.weight"));
    double sum = 0, squares = 0;
    for (size_t a = 0; a < kRows; ++a)
        for (size_t b = 0; b < kRows; ++b) {
            const float *query = &q[a * kHead], *key = &k[b * kHead];
            float score = 0;
            for (size_t j = 0; j < kHead; ++j) score += query[j] * key[j];
            sum += score;
            squares += static_cast<double>(score) * score;
        }
    constexpr double n = double{kRows} * kRows;
    return std::sqrt(squares / n - sum / n * (sum / n));
}

TEST(ScoreScale, OfFreshWeightsIsThePapersOnRowsOfNormOne) {
    const double trained = score_deviation(preset("gpt2-124m"), 1.0);
    const double identity = score_deviation(preset("gpt2-124m-wq-identity"), 1.0);
    EXPECT_NEAR(trained / 0.003200, 1.0, 0.01);
    EXPECT_NEAR(identity / 0.0057735, 1.0, 0.01);
    EXPECT_NEAR(identity / trained / 1.8042, 1.0, 0.01);
}

TEST(ScoreScale, OfFreshWeightsIsLargerByTheWidthOnRowsOfLayerNorm) {
    const ModelConfig baseline = preset("gpt2-124m"), reduced = preset("gpt2-124m-wq-identity");
    const double norm = std::sqrt(double{kWidth});
    const double trained = score_deviation(baseline, norm);
    const double identity = score_deviation(reduced, norm);
    EXPECT_NEAR(trained / 2.4576, 1.0, 0.01);
    EXPECT_NEAR(identity / 4.4341, 1.0, 0.01);
    EXPECT_NEAR(identity / trained / 1.8042, 1.0, 0.01);
    // With the scales that the configurations resolve to, the two are nearly the same again.
    EXPECT_NEAR(trained * baseline.attn_scale, 0.307, 0.004);
    EXPECT_NEAR(identity * reduced.attn_scale, 0.277, 0.004);
}

}  // namespace
}  // namespace headroom
