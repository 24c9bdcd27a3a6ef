#include "core/lab/regression_theory.h"

#include <algorithm>
#include <cmath>

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
LeastLoss least_loss(const RegressionSample& sample, RegressionForm form, int64_t a,
                     int64_t restarts, int64_t iterations, uint64_t seed,
                     const std::function<bool()>& go_on) {
    const RegressionLoss loss(sample, form, a);
    LeastLoss least;
    const auto search = [&](std::vector<double> start) {
        Minimum found = minimize(loss, std::move(start), static_cast<int>(iterations), 1e-6, go_on);
        if (found.value < least.value)
            least = {a, std::move(found.x), found.value, found.iterations, found.late_gain};
    };
    for (int64_t k = 0; k < restarts && go_on(); ++k) {
        const std::string name = fmt::format("{}.{}.{}", name_of(form), a, k);
        std::vector<double> start = normal_matrix(name, seed, 1, loss.size()).values;
        const auto maps = static_cast<size_t>(sample.task.d * sample.task.d);
        for (size_t i = maps; i < start.size(); ++i) start[i] *= 0.2;
        search(std::move(start));
    }
    // Where the exact form is among the candidates it is a start of its own.
    if (form == RegressionForm::kSkipV1 && a == sample.task.d && go_on())
        search(loss.gradient_step(best_lambda(sample.task)));
    return least;
}

double mean_loss(const std::vector<double>& losses) {
    return sample_mean(losses).mean;
}

/// Half the 99 % interval of the mean difference over the same data sets.
double paired_accuracy(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> differences;
    for (size_t k = 0; k < a.size(); ++k) differences.push_back(a[k] - b[k]);
    return accuracy_of(sample_mean(differences));
}

double greatest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double greatest = 0;
    for (size_t k = 0; k < a.size(); ++k) greatest = std::max(greatest, std::abs(a[k] - b[k]));
    return greatest;
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
            {"monte-carlo", &monte_carlo_,
             "Fresh data sets that judge the closed form and the minima", 100, 1e7},
            {"restarts", &restarts_, "Starts of each minimisation", 1, 1000},
            {"iterations", &iterations_, "Of each minimisation at most", 1, 1e6},
            {"seed", &seed_, "Of data sets and starts", 0, 1e9}};
}

void RegressionTheory::check_closed_form(LabResult& result) const {
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
        measured.y.push_back(mean_loss(gradient_step_losses(fresh_, lambda)));
    }
    chart.series = {closed, measured};
    result.charts.push_back(std::move(chart));
    result.tables.push_back(
        {"closed form, over all data sets",
         {"d", "n", "sigma", "best λ", "loss", "loss without a context"},
         {{task_.d, task_.n, task_.sigma, best, least, gradient_step_loss(task_, 0)}}});

    const SampleMean found = sample_mean(gradient_step_losses(fresh_, best));
    result.checks.push_back({"loss of the best λ, Monte Carlo against the closed form", least,
                             found.mean, 0.02, accuracy_of(found)});
    if (accuracy_of(found) > 0.02 * least)
        result.checks.back().open =
            fmt::format("{} data sets are too few: give more --monte-carlo", monte_carlo_);
    name_what_decides(result.checks.back(), "--monte-carlo");
    const RegressionLoss exact(fresh_, RegressionForm::kSkipV1, task_.d);
    const double apart = greatest_difference(exact.losses(exact.gradient_step(best)),
                                             gradient_step_ridge_losses(fresh_, best));
    result.checks.push_back(
        {"SkipV1 with A = I, W = (-λI/2, λI) is λ Y X^T x: greatest difference "
         "of a data set's loss, of the mean",
         0, apart / least, 1e-9});
}

/// What the searches found, on data sets that they have not seen: on their own ones the least of
/// many losses lies below that of the whole distribution, the further the fewer they are.
void RegressionTheory::check_minima(const LeastLoss (&least)[2], LabResult& result) const {
    const double best = best_lambda(task_);
    const std::vector<double> step = gradient_step_ridge_losses(fresh_, best);
    const double expected = mean_loss(step);
    const auto check = [&](RegressionForm form, const char* claim, LabCheck::Bound bound,
                           double tolerance) {
        const LeastLoss& found = least[static_cast<int>(form)];
        const std::vector<double> losses = RegressionLoss(fresh_, form, found.a).losses(found.x);
        result.checks.push_back(
            {claim, expected, mean_loss(losses), tolerance, paired_accuracy(losses, step), bound});
    };
    check(RegressionForm::kSkipV1,
          "least loss of SkipV1Former, on fresh data sets, against λ Y X^T x there",
          LabCheck::Bound::kNear, 0.03);
    LabCheck& skip = result.checks.back();
    if (skip.verdict() != LabVerdict::kHolds && skip.measured > skip.expected)
        skip.open =
            fmt::format("fits the {} sets that it was minimised on: give more --sets", sets_);
    name_what_decides(skip, "--monte-carlo");
    check(RegressionForm::kMha,
          "least loss of multi-head attention, on fresh data sets, against λ Y X^T x there",
          LabCheck::Bound::kAtLeast, 0);
    LabCheck& mha = result.checks.back();
    name_what_decides(mha, "--monte-carlo");
    if (mha.verdict() != LabVerdict::kHolds) return;
    // A search that still falls by some part of the distance might close it.
    constexpr int kFew = 50;
    const LeastLoss& found = least[0];
    const bool falls = found.late_gain > 0.1 * (mha.measured - mha.expected);
    if (falls || (found.iterations == iterations_ && iterations_ < kFew))
        mha.open = fmt::format("still falling after {} iterations: give more --iterations",
                               found.iterations);
    else if (found.value <= mean_loss(gradient_step_ridge_losses(sample_, best)))
        mha.open = fmt::format("is lower on the {} sets that it was minimised on: give more --sets",
                               sets_);
}

/// False if it was stopped.
bool RegressionTheory::minimize_forms(const LabProgress& progress, LabResult& result) const {
    const double best = best_lambda(task_);
    LabTable table{"least losses",
                   {"a", "MHA", "SkipV1", "difference", "MHA, fresh sets", "SkipV1, fresh sets"},
                   {}};
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
    LeastLoss least[2];
    for (int64_t a = 1; a <= task_.d && going; ++a) {
        double losses[2], fresh[2];
        for (const RegressionForm form : {RegressionForm::kMha, RegressionForm::kSkipV1}) {
            const auto f = static_cast<int>(form);
            const double done =
                (2.0 * static_cast<double>(a - 1) + f) / (2.0 * static_cast<double>(task_.d));
            const auto go_on = [&] {
                return going = going && progress(0.1 + 0.9 * done,
                                                 fmt::format("{}, a = {}", name_of(form), a));
            };
            LeastLoss found = least_loss(sample_, form, a, restarts_, iterations_,
                                         static_cast<uint64_t>(seed_), go_on);
            if (!going) break;
            losses[f] = found.value;
            fresh[f] = mean_loss(RegressionLoss(fresh_, form, a).losses(found.x));
            forms[f].x.push_back(static_cast<double>(a));
            forms[f].y.push_back(found.value);
            if (found.value < least[f].value) least[f] = std::move(found);
        }
        if (going)
            table.rows.push_back(
                {a, losses[0], losses[1], losses[0] - losses[1], fresh[0], fresh[1]});
    }
    const double of_sample = mean_loss(gradient_step_ridge_losses(sample_, best));
    chart.series = {forms[0],
                    forms[1],
                    {"λ Y X^T x on these data sets",
                     LabSeries::Style::kLine,
                     {1, static_cast<double>(task_.d)},
                     {of_sample, of_sample}}};
    result.tables.push_back(std::move(table));
    result.tables.push_back(
        {"λ Y X^T x and no context, on the data sets",
         {"sets", "number", "loss of the best λ", "loss without a context"},
         {{"minimised on", sets_, of_sample, mean_loss(gradient_step_ridge_losses(sample_, 0))},
          {"fresh", monte_carlo_, mean_loss(gradient_step_ridge_losses(fresh_, best)),
           mean_loss(gradient_step_ridge_losses(fresh_, 0))}}});
    result.charts.push_back(std::move(chart));
    if (going) check_minima(least, result);
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
    fresh_ = sample_regression(task_, monte_carlo_, seed + 104729);
    check_closed_form(result);
    sample_ = sample_regression(task_, sets_, seed);
    result.stopped = !minimize_forms(progress, result);
    progress(1, "done");
    return result;
}

}  // namespace headroom
