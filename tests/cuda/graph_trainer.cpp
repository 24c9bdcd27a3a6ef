#include "tests/cuda/graph_trainer.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/op_cases/op_case_run.h"
#include "tests/core/model/architectures.h"
#include "tests/core/model/forward_pass.h"

namespace headroom {
namespace {

double norm_of(const std::vector<double>& x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

}  // namespace

Job job_with_everything(const std::string& arch, DType precision) {
    Job job = small_job(R"({"bias": true, "mlp": "gelu_tanh", "arch": ")" + arch + "\"}");
    job.precision = precision;
    job.train.grad_accum = 2;
    return job;
}

GraphTrainer::GraphTrainer(const Job& job, Device& device) : training_(build_training_graph(job)) {
    executor_ = device.prepare(training_.graph);
    write_weights(*executor_, training_.parameters, random_weights(job.model));
    for (const ValueId id : training_.values.inputs) {
        const auto tokens =
            some_tokens(training_.graph.value(id).type.count(), job.model.vocab_size);
        executor_->write(id, std::as_bytes(std::span(tokens)));
    }
}

template <class Run>
void GraphTrainer::run_phases(Run&& run) {
    StepContext step;
    executor_->run(Phase::kPrepare, step);
    for (step.micro = 0; step.micro < 2; ++step.micro) {
        run(Phase::kForward, step);
        run(Phase::kBackward, step);
    }
    run(Phase::kEvaluate, step);
}

void GraphTrainer::run() {
    for (int time = 0; time < 3; ++time)
        run_phases([&](Phase phase, const StepContext& step) { executor_->run(phase, step); });
}

void GraphTrainer::run_apart() {
    run_phases([&](Phase phase, const StepContext& step) {
        EXPECT_EQ(executor_->find_nonfinite(phase, step), "");
    });
}

std::map<std::string, std::vector<double>> GraphTrainer::results() const {
    std::map<std::string, std::vector<double>> results;
    for (const Value& value : training_.graph.values()) {
        if (value.role != Role::kGradient && value.role != Role::kResult) continue;
        if (value.name == "grad_norm") continue;  // of an update
        std::vector<std::byte> bytes(static_cast<size_t>(value.type.bytes()));
        executor_->read(training_.graph.find(value.name), bytes);
        results[value.name] = to_doubles({bytes.data(), value.type});
    }
    return results;
}

void expect_near(const GraphTrainer& a, const GraphTrainer& b, double tolerance, bool each) {
    const auto expected = b.results();
    std::vector<double> all, all_apart;
    for (const auto& [name, actual] : a.results()) {
        const std::vector<double>& other = expected.at(name);
        std::vector<double> apart;
        for (size_t i = 0; i < actual.size(); ++i) apart.push_back(actual[i] - other[i]);
        all.insert(all.end(), other.begin(), other.end());
        all_apart.insert(all_apart.end(), apart.begin(), apart.end());
        const bool zero = name.ends_with("attn.k.bias.grad");  // softmax does not see it
        if (!each || zero) continue;
        EXPECT_LE(norm_of(apart), tolerance * norm_of(other)) << name;
    }
    EXPECT_LE(norm_of(all_apart), tolerance * norm_of(all));
}

}  // namespace headroom
