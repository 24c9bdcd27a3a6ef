#include "core/lab/score_scale.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cpu/gemm.h"
#include "core/lab/random_numbers.h"

namespace headroom {
namespace {

/// Random rows as LayerNorm gives them (norm sqrt(d)), or of norm 1.
Matrix normalised_rows(int64_t rows, int64_t d, uint64_t seed, bool unit) {
    Matrix u = normal_matrix("rows", seed, rows, d);
    for (int64_t i = 0; i < rows; ++i) {
        double mean = 0, squares = 0;
        for (int64_t j = 0; j < d; ++j) mean += u.at(i, j) / static_cast<double>(d);
        for (int64_t j = 0; j < d; ++j) squares += (u.at(i, j) - mean) * (u.at(i, j) - mean);
        const double wanted = unit ? 1 : std::sqrt(static_cast<double>(d));
        for (int64_t j = 0; j < d; ++j)
            u.at(i, j) = (u.at(i, j) - mean) * wanted / std::sqrt(squares);
    }
    return u;
}

/// Scores q_a · k_b of all heads and all pairs a != b.
std::vector<double> raw_scores(const Matrix& q, const Matrix& k, int64_t n_head) {
    const int64_t n = q.rows, d = q.cols, d_head = d / n_head;
    std::vector<double> scores;
    scores.reserve(static_cast<size_t>(n_head * n * (n - 1)));
    Matrix head(n, n);
    for (int64_t h = 0; h < n_head; ++h) {
        const GemmShape shape{
            .m = n, .n = n, .k = d_head, .b_transposed = true, .lda = d, .ldb = d, .ldc = n};
        gemm(shape, &q.values[static_cast<size_t>(h * d_head)],
             &k.values[static_cast<size_t>(h * d_head)], head.values.data());
        for (int64_t a = 0; a < n; ++a)
            for (int64_t b = 0; b < n; ++b)
                if (a != b) scores.push_back(head.at(a, b));
    }
    return scores;
}

double deviation_of(const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (const double x : values) {
        sum += x;
        squares += x * x;
    }
    const auto n = static_cast<double>(values.size());
    return std::sqrt(squares / n - sum / n * (sum / n));
}

}  // namespace

std::string ScoreScale::shows() const {
    return "With weights N(0, sigma²) the raw score of rows a and b has the deviation "
           "sigma² sqrt(d_head) ‖a‖ ‖b‖ with a query projection and sigma ‖a‖ ‖b‖ / sqrt(n_head) "
           "without: 1 / (sigma sqrt(d)) times as much, whatever the norm of the rows.";
}

std::vector<LabOption> ScoreScale::options() {
    return {{"d", &d_model_, "Width of the model", 2, 16384},
            {"n-head", &n_head_, "Heads, a divisor of d", 1, 1024},
            {"rows", &n_rows_, "Tokens; every head scores every pair of two", 2, 20000},
            {"sigma", &sigma_, "Deviation of the initial weights", 1e-6, 10},
            {"seed", &seed_, "Of rows and weights", 0, 1e9}};
}

LabResult ScoreScale::run(const LabProgress& progress) {
    if (d_model_ % n_head_ != 0)
        throw UserError(fmt::format("--n-head {} does not divide --d {}", n_head_, d_model_),
                        "give a divisor");
    const auto seed = static_cast<uint64_t>(seed_);
    const double d = static_cast<double>(d_model_), heads = static_cast<double>(n_head_);
    // One draw of the weights: its deviation spreads as 1 / sqrt(d), 0.25 % at the paper's 768.
    // The scores of few rows are few numbers, however many pairs they make: about 0.4 / rows off.
    const double tolerance =
        std::max(0.01, 1.0 / static_cast<double>(n_rows_)) * std::sqrt(std::max(1.0, 768 / d));
    LabResult result;
    LabTable table{"deviations",
                   {"rows", "query", "predicted", "measured", "with the published scale", "scores"},
                   {}};
    for (const bool unit : {true, false}) {
        const std::string rows = unit ? "norm 1" : "LayerNorm";
        if (!progress(unit ? 0 : 0.5, "scores of rows of " + rows)) {
            result.stopped = true;
            break;
        }
        const Matrix u = normalised_rows(n_rows_, d_model_, seed, unit);
        const Matrix k = product(u, normal_matrix("W_K", seed, d_model_, d_model_, sigma_));
        const Matrix q = product(u, normal_matrix("W_Q", seed, d_model_, d_model_, sigma_));
        const double norms = unit ? 1 : d;  // ‖a‖ ‖b‖
        const double predicted_linear = sigma_ * sigma_ * std::sqrt(d / heads) * norms;
        const double predicted_identity = sigma_ * norms / std::sqrt(heads);
        LabChart chart{unit ? "unit-rows" : "layernorm-rows",
                       "raw score",
                       "density",
                       false,
                       false,
                       {},
                       "rows of " + rows};
        double measured[2];
        for (const bool identity : {false, true}) {
            const std::vector<double> scores = raw_scores(identity ? u : q, k, n_head_);
            const double predicted = identity ? predicted_identity : predicted_linear;
            const std::string query = identity ? "identity" : "linear";
            measured[identity] = deviation_of(scores);
            const double scale = (identity ? 0.5 : 1) / std::sqrt(d / heads);
            table.rows.push_back({rows, query, predicted, measured[identity],
                                  measured[identity] * scale, std::ssize(scores)});
            result.checks.push_back({fmt::format("deviation, {} query, rows of {}", query, rows),
                                     predicted, measured[identity], tolerance});
            const double range =
                predicted_identity > predicted_linear ? predicted_identity : predicted_linear;
            chart.series.push_back(density_columns(query + " query", scores, range));
            chart.series.push_back(
                normal_curve(query + ", predicted", predicted, 4 * range / predicted));
        }
        result.checks.push_back({"ratio of both, rows of " + rows, 1 / (sigma_ * std::sqrt(d)),
                                 measured[1] / measured[0], tolerance});
        result.charts.push_back(std::move(chart));
    }
    result.tables.push_back(std::move(table));
    progress(1, "done");
    return result;
}

}  // namespace headroom
