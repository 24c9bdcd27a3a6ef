#include "tests/core/model/training_fixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

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
    for (const GraphParameter& parameter : fixture.training().parameters) {
        ASSERT_NE(parameter.gradient, kNoValue) << parameter.spec.name;
        const std::vector<double> gradient = fixture.read(parameter.gradient);
        const std::vector<double> values = fixture.read(parameter.value);
        double scale = 1e-3;
        for (const double g : gradient) scale = std::max(scale, std::abs(g));
        const size_t stride = std::max<size_t>(1, values.size() / 7);
        for (size_t i = 0; i < values.size(); i += stride) {
            const double h = 2e-5;   // small, so that few kinks of ReLU lie within
            const double rounding =  // of a loss, as it comes through the differences
                8 * std::numeric_limits<double>::epsilon() * std::abs(unmoved) / h;
            const auto at = [&](double offset) {
                std::vector<double> moved = values;
                moved[i] += offset;
                fixture.write(parameter.value, moved);
                return fixture.objective();
            };
            const double numeric = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
            fixture.write(parameter.value, values);
            EXPECT_NEAR(gradient[i], numeric, 1e-6 * scale + rounding)
                << parameter.spec.name << " " << i;
        }
    }
}

}  // namespace headroom
