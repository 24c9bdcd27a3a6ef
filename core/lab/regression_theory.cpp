#include "core/lab/regression_theory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/lab/minimize.h"
#include "core/lab/random_numbers.h"

namespace headroom {
namespace {

const char* name_of(RegressionForm form) {
    return form == RegressionForm::kMha ? "MHA" : "SkipV1";
}

/// The best of several starts. A and B begin as N(0, 1), the rest small enough for a prediction
/// near 0.
double least_loss(const RegressionSample& sample, RegressionForm form, int64_t a, int64_t restarts,
                  int64_t iterations, uint64_t seed, const std::function<bool()>& go_on) {
    const RegressionLoss loss(sample, form, a);
    double least = std::numeric_limits<double>::infinity();
    for (int64_t k = 0; k < restarts && go_on(); ++k) {
        const std::string name = fmt::format("{}.{}.{}", name_of(form), a, k);
        std::vector<double> start = normal_matrix(name, seed, 1, loss.size()).values;
        const auto maps = static_cast<size_t>(sample.task.d * sample.task.d);
        for (size_t i = maps; i < start.size(); ++i) start[i] *= 0.2;
        least = std::min(
            least,
            minimize(loss, std::move(start), static_cast<int>(iterations), 1e-6, go_on).value);
    }
    // Where the exact form is among the candidates it is a start of its own.
    if (form == RegressionForm::kSkipV1 && a == sample.task.d && go_on())
        least = std::min(least, minimize(loss, loss.gradient_step(best_lambda(sample.task)),
                                         static_cast<int>(iterations), 1e-6, go_on)
                                    .value);
    return least;
}

}  // namespace

std::string RegressionTheory::shows() const {
    return "If the first layer copies x beside y (Assumption 1, A of a rows, B of d - a), the "
           "second layer computes the regression step ŷ = λ Y X^T x exactly from the first "
           "layer's values; multi-head attention sees the compressed pairs alone and its least "
           "loss is higher for every a.";
}

std::vector<LabOption> RegressionTheory::options() {
    return {{"d", &task_.d, "Width of x and y", 1, 16},
            {"n", &task_.n, "Examples in the context", 1, 1000},
            {"sigma", &task_.sigma, "Deviation of the noise", 0, 10},
            {"sets", &sets_, "Data sets that the losses are minimised on; 8000 for the reference",
             10, 1e6},
            {"monte-carlo", &monte_carlo_, "Data sets of the check of the closed form", 100, 1e7},
            {"restarts", &restarts_, "Starts of each minimisation", 1, 1000},
            {"iterations", &iterations_, "Of each minimisation at most", 1, 1e6},
            {"seed", &seed_, "Of data sets and starts", 0, 1e9}};
}

/// Loss against λ in closed form and as measured; the minimum is a claim.
LabChart RegressionTheory::lambda_chart(const RegressionSample& sample, LabResult& result) const {
    const double best = best_lambda(task_), least = gradient_step_loss(task_, best);
    LabChart chart{"lambda", "λ", "loss", false, false, {}, "ŷ = λ Y X^T x"};
    LabSeries closed{"closed form", LabSeries::Style::kLine, {}, {}},
        measured{"Monte Carlo", LabSeries::Style::kPoints, {}, {}};
    for (int i = 0; i <= 40; ++i) {
        const double lambda = best * 2.5 * i / 40;
        closed.x.push_back(lambda);
        closed.y.push_back(gradient_step_loss(task_, lambda));
        if (i % 4 != 0) continue;
        measured.x.push_back(lambda);
        measured.y.push_back(gradient_step_loss(sample, lambda));
    }
    chart.series = {closed, measured};
    result.checks.push_back({"loss of the best λ, Monte Carlo against the closed form", least,
                             gradient_step_loss(sample, best), 0.02});
    const RegressionLoss exact(sample, RegressionForm::kSkipV1, task_.d);
    std::vector<double> gradient(static_cast<size_t>(exact.size()));
    result.checks.push_back({"SkipV1 with A = I, W = (-λI/2, λI) has that loss on the sample",
                             gradient_step_loss(sample, best),
                             exact(exact.gradient_step(best), gradient), 0.02});
    result.tables.push_back(
        {"closed form",
         {"d", "n", "sigma", "best λ", "loss", "loss without a context"},
         {{task_.d, task_.n, task_.sigma, best, least, gradient_step_loss(task_, 0)}}});
    return chart;
}

/// False if it was stopped.
bool RegressionTheory::minimize_forms(const RegressionSample& sample, const LabProgress& progress,
                                      LabResult& result) const {
    LabTable table{"least losses", {"a", "MHA", "SkipV1", "difference"}, {}};
    LabChart chart{"least-loss",
                   "rows a of A",
                   "least loss",
                   false,
                   false,
                   {},
                   fmt::format("minimised on {} data sets", sets_)};
    LabSeries forms[2] = {{"MHA", LabSeries::Style::kLine, {}, {}},
                          {"SkipV1Former", LabSeries::Style::kLine, {}, {}}};
    bool going = true;
    double least[2] = {std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::infinity()};
    for (int64_t a = 1; a <= task_.d && going; ++a) {
        double losses[2];
        for (const RegressionForm form : {RegressionForm::kMha, RegressionForm::kSkipV1}) {
            const auto f = static_cast<int>(form);
            const double done =
                (2.0 * static_cast<double>(a - 1) + f) / (2.0 * static_cast<double>(task_.d));
            const auto go_on = [&] {
                return going = going && progress(0.1 + 0.9 * done,
                                                 fmt::format("{}, a = {}", name_of(form), a));
            };
            losses[f] = least_loss(sample, form, a, restarts_, iterations_,
                                   static_cast<uint64_t>(seed_), go_on);
            if (!going) break;
            least[f] = std::min(least[f], losses[f]);
            forms[f].x.push_back(static_cast<double>(a));
            forms[f].y.push_back(losses[f]);
        }
        if (going) table.rows.push_back({a, losses[0], losses[1], losses[0] - losses[1]});
    }
    const double closed = gradient_step_loss(task_, best_lambda(task_));
    forms[1].style = forms[0].style = LabSeries::Style::kLine;
    chart.series = {forms[0],
                    forms[1],
                    {"closed form of λ Y X^T x",
                     LabSeries::Style::kLine,
                     {1, static_cast<double>(task_.d)},
                     {closed, closed}}};
    result.tables.push_back(std::move(table));
    result.charts.push_back(std::move(chart));
    if (going) {
        const double of_sample = gradient_step_loss(sample, best_lambda(task_));
        result.checks.push_back({"least loss of SkipV1Former, against λ Y X^T x on the sample",
                                 of_sample, least[1], 0.03});
        result.checks.push_back({"multi-head attention's least loss is higher (1 = yes)", 1,
                                 least[0] > least[1] ? 1.0 : 0.0, 0});
    }
    return going;
}

LabResult RegressionTheory::run(const LabProgress& progress) {
    if (task_.n < task_.d && task_.sigma < 1e-6)
        throw UserError(fmt::format("without noise, {} examples of width {} leave the best "
                                    "predictor open",
                                    task_.n, task_.d),
                        "give --n as large as --d, or --sigma of 1e-6 at least");
    LabResult result;
    const auto seed = static_cast<uint64_t>(seed_);
    if (!progress(0, "Monte Carlo of the closed form")) {
        result.stopped = true;
        return result;
    }
    result.charts.push_back(
        lambda_chart(sample_regression(task_, monte_carlo_, seed + 104729), result));
    result.stopped = !minimize_forms(sample_regression(task_, sets_, seed), progress, result);
    progress(1, "done");
    return result;
}

}  // namespace headroom
