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
Matrix normalised(Matrix u, bool unit) {
    const int64_t d = u.cols;
    for (int64_t i = 0; i < u.rows; ++i) {
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

/// Mean of the squares of all scores q_a · k_b, a != b, without the scores: summed over all pairs
/// of a head they are tr(Q^T Q K^T K).
double mean_square(const Matrix& q, const Matrix& k, int64_t n_head) {
    const int64_t n = q.rows, d = q.cols, d_head = d / n_head;
    Matrix qq(d_head, d_head), kk(d_head, d_head);
    const GemmShape shape{
        .m = d_head, .n = d_head, .k = n, .a_transposed = true, .lda = d, .ldb = d, .ldc = d_head};
    double sum = 0;
    for (int64_t h = 0; h < n_head; ++h) {
        const double *q_head = &q.values[static_cast<size_t>(h * d_head)],
                     *k_head = &k.values[static_cast<size_t>(h * d_head)];
        gemm(shape, q_head, q_head, qq.values.data());
        gemm(shape, k_head, k_head, kk.values.data());
        sum += dot(qq.values, kk.values);
        for (int64_t a = 0; a < n; ++a) {
            double own = 0;
            for (int64_t j = 0; j < d_head; ++j) own += q_head[a * d + j] * k_head[a * d + j];
            sum -= own * own;
        }
    }
    return sum / static_cast<double>(n_head * n * (n - 1));
}

constexpr double kTolerance = 0.01;

/// A measured number and half its 99 % interval.
struct Measured {
    double value = 0, accuracy = 0;
    /// How many times as wide as it may be.
    double blur() const { return accuracy / (kTolerance / 2 * value); }
    bool is_sharp() const { return blur() <= 1; }
};

std::string name_of_rows(bool unit) {
    return unit ? "norm 1" : "LayerNorm";
}

}  // namespace

/// Scores of independent draws of rows and weights. Their mean is 0 and the mean of a draw's
/// squares is what the formulas say, whatever the width and the number of rows; how far one draw is
/// from it is measured.
struct ScoreScale::Draws {
    std::vector<double> squares[2];  ///< means, draw by draw, with a linear and the identity query
    std::vector<double> scores[2];   ///< of the first draw

    int64_t count() const { return std::ssize(squares[0]); }
    void add(const Matrix& u, const Matrix& q, const Matrix& k, int64_t n_head) {
        for (const bool identity : {false, true}) {
            const Matrix& query = identity ? u : q;
            if (squares[identity].empty()) scores[identity] = raw_scores(query, k, n_head);
            squares[identity].push_back(mean_square(query, k, n_head));
        }
    }
    Measured deviation(bool identity) const {
        const SampleMean mean = sample_mean(squares[identity]);
        const double value = std::sqrt(mean.mean);
        return {value, accuracy_of(mean) / (2 * value)};
    }
    /// Identity over linear: both are of the same rows and keys, so that they vary together.
    Measured ratio() const {
        const double linear = sample_mean(squares[0]).mean, identity = sample_mean(squares[1]).mean;
        std::vector<double> apart;
        for (size_t i = 0; i < squares[0].size(); ++i)
            apart.push_back(squares[1][i] / identity - squares[0][i] / linear);
        const double value = std::sqrt(identity / linear);
        return {value, value / 2 * accuracy_of(sample_mean(apart))};
    }
    /// How many draws would make every number sharp, as far as these tell.
    double needed() const {
        const double blur =
            std::max({deviation(false).blur(), deviation(true).blur(), ratio().blur()});
        return blur * blur * static_cast<double>(count());
    }
};

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
            {"draws", &draws_, "Of rows and weights at most; it ends where 1 % is certain", 1, 1e9},
            {"seed", &seed_, "Of rows and weights", 0, 1e9}};
}

LabResult ScoreScale::run(const LabProgress& progress) {
    if (d_model_ % n_head_ != 0)
        throw UserError(fmt::format("--n-head {} does not divide --d {}", n_head_, d_model_),
                        "give a divisor");
    LabResult result;
    result.tables.push_back({"deviations",
                             {"rows", "query", "predicted", "measured", "99 % ±",
                              "with the published scale", "scores", "draws"},
                             {}});
    for (const bool unit : {true, false}) {
        const Draws draws = draw(unit, progress, result.stopped);
        if (draws.count() > 0) report(draws, unit, result);
        if (result.stopped) break;
    }
    progress(1, "done");
    return result;
}

ScoreScale::Draws ScoreScale::draw(bool unit, const LabProgress& progress, bool& stopped) const {
    constexpr int64_t kLeast = 8, kTelling = 100;  // draws for an interval, and to give up
    const auto seed = static_cast<uint64_t>(seed_);
    Draws draws;
    int64_t look = kLeast;
    for (int64_t i = 0; i < draws_; ++i) {
        const double done = static_cast<double>(i) / static_cast<double>(draws_);
        stopped = !progress(unit ? done / 2 : 0.5 + done / 2,
                            fmt::format("rows of {}, draw {}", name_of_rows(unit), i + 1));
        if (stopped) break;
        const auto matrix = [&](const char* name, int64_t rows, double deviation) {
            return normal_matrix(fmt::format("{}.{}.{}", name, unit, i), seed, rows, d_model_,
                                 deviation);
        };
        const Matrix u = normalised(matrix("rows", n_rows_, 1), unit);
        const Matrix k = product(u, matrix("W_K", d_model_, sigma_));
        const Matrix q = product(u, matrix("W_Q", d_model_, sigma_));
        draws.add(u, q, k, n_head_);
        if (draws.count() < look) continue;
        const double needed = draws.needed(), most = static_cast<double>(draws_);
        if (needed <= static_cast<double>(look) || (look >= kTelling && needed > most)) break;
        look += 1 + look / 4;
    }
    return draws;
}

void ScoreScale::report(const Draws& draws, bool unit, LabResult& result) const {
    const std::string rows = name_of_rows(unit);
    const double d = static_cast<double>(d_model_), heads = static_cast<double>(n_head_);
    const double norms = unit ? 1 : d;  // ‖a‖ ‖b‖
    const double predicted[2] = {sigma_ * sigma_ * std::sqrt(d / heads) * norms,
                                 sigma_ * norms / std::sqrt(heads)};
    const double range = std::max(predicted[0], predicted[1]);
    LabChart chart{
        unit ? "unit-rows" : "layernorm-rows",          "raw score", "density", false, false, {},
        fmt::format("rows of {}, the first draw", rows)};
    const auto claim = [&](const std::string& name, double expected, const Measured& measured) {
        LabCheck check{name, expected, measured.value, kTolerance, measured.accuracy};
        const double more = std::ceil(1.2 * draws.needed());
        if (!measured.is_sharp())
            check.open = fmt::format(
                "{} draws leave more than half the tolerance to chance: give "
                "more --rows, or {}",
                draws.count(),
                std::isfinite(more) ? fmt::format("--draws {:.0f}", more) : "more --draws");
        name_what_decides(check, "--draws");
        result.checks.push_back(std::move(check));
    };
    for (const bool identity : {false, true}) {
        const std::string query = identity ? "identity" : "linear";
        const Measured measured = draws.deviation(identity);
        const double scale = (identity ? 0.5 : 1) / std::sqrt(d / heads);
        result.tables[0].rows.push_back({rows, query, predicted[identity], measured.value,
                                         measured.accuracy, measured.value * scale,
                                         draws.count() * n_head_ * n_rows_ * (n_rows_ - 1),
                                         draws.count()});
        claim(fmt::format("deviation, {} query, rows of {}", query, rows), predicted[identity],
              measured);
        chart.series.push_back(density_columns(query + " query", draws.scores[identity], range));
        chart.series.push_back(normal_curve(query + ", predicted", predicted[identity],
                                            4 * range / predicted[identity]));
    }
    claim("ratio of both, rows of " + rows, 1 / (sigma_ * std::sqrt(d)), draws.ratio());
    result.charts.push_back(std::move(chart));
}

}  // namespace headroom
