#include "tests/core/model/training_fixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/device/batch_inputs.h"
#include "core/model/initialize.h"
#include "core/ops/route.h"

namespace headroom {

TrainingFixture::TrainingFixture(const Job& job, const std::function<void(Batch&)>& fill)
    : model_(job.model),
      training_(build_training_graph(job)),
      executor_(device_->prepare(training_.graph)) {
    Batch batch = batch_for(training_.graph, training_.values.inputs);
    fill(batch);
    write_batch(*executor_, training_.values.inputs, batch);
    for (const GraphParameter& parameter : training_.parameters) {
        ParameterSpec spec = parameter.spec;
        if (spec.init_std > 0) spec.init_std = 0.4;
        std::vector<double> values(static_cast<size_t>(spec.count()));
        fill_initial(spec, 7, std::span<double>(values));
        for (size_t i = 0; i < values.size(); ++i) values[i] += 0.01 * std::sin(double(i));
        write(parameter.value, values);
    }
    executor_->run(Phase::kPrepare, {});
}

std::vector<double> TrainingFixture::read(ValueId id) const {
    std::vector<double> values(static_cast<size_t>(training_.graph.value(id).type.count()));
    executor_->read(id, std::as_writable_bytes(std::span(values)));
    return values;
}

void TrainingFixture::write(ValueId id, const std::vector<double>& values) {
    executor_->write(id, std::as_bytes(std::span(values)));
}

double TrainingFixture::loss() {
    executor_->run(Phase::kEvaluate, {});
    return read(training_.values.eval_loss)[0];
}

double TrainingFixture::objective() {
    double sum = loss();
    const std::vector<RouterValue>& routers = training_.values.routers;
    for (const RouterValue& router : routers) {
        const std::vector<double> stats = read(router.stats);
        const size_t losses = stats.size() - kRouteStats;
        sum += (model_.mlp_balance * stats[losses + size_t(RouteStat::kBalance)] +
                model_.mlp_z * stats[losses + size_t(RouteStat::kZ)]) /
               static_cast<double>(routers.size());
    }
    return sum;
}

double TrainingFixture::step_loss(const StepContext& step) {
    executor_->run(Phase::kForward, step);
    executor_->run(Phase::kBackward, step);
    return read(training_.loss)[0];
}

void check_gradients(TrainingFixture& fixture) {
    const double unmoved = fixture.loss();
    EXPECT_NEAR(fixture.step_loss(), unmoved, 1e-12);
    std::mt19937 random(1);
    for (const GraphParameter& parameter : fixture.training().parameters) {
        ASSERT_NE(parameter.gradient, kNoValue) << parameter.spec.name;
        const std::vector<double> gradient = fixture.read(parameter.gradient);
        const std::vector<double> values = fixture.read(parameter.value);
        double scale = 1e-3;
        for (const double g : gradient) scale = std::max(scale, std::abs(g));
        const auto check = [&](const std::vector<double>& direction, const std::string& name) {
            const double h = 2e-5;   // small, so that few kinks of ReLU lie within
            const double rounding =  // of a loss, as it comes through the differences
                8 * std::numeric_limits<double>::epsilon() * std::abs(unmoved) / h;
            const auto at = [&](double offset) {
                std::vector<double> moved = values;
                for (size_t i = 0; i < moved.size(); ++i) moved[i] += offset * direction[i];
                fixture.write(parameter.value, moved);
                return fixture.objective();
            };
            const double numeric = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
            const double expected =
                std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0);
            EXPECT_NEAR(expected, numeric, 1e-6 * scale + rounding)
                << parameter.spec.name << " along " << name;
        };
        std::vector<double> direction(values.size());
        for (const size_t i : {size_t{0}, values.size() / 2, values.size() - 1}) {
            direction.assign(values.size(), 0);
            direction[i] = 1;
            check(direction, fmt::format("element {}", i));
        }
        // An element that is wrong shows here, wherever it is.
        for (double& d : direction)
            d = (random() % 2 == 0 ? 1 : -1) / std::sqrt(double(values.size()));
        check(direction, "all elements");
        fixture.write(parameter.value, values);
    }
}

}  // namespace headroom
