#include "core/probe/probe_classifiers.h"

#include <fmt/format.h>

#include "core/autodiff/differentiate.h"
#include "core/config/learning_rate.h"
#include "core/model/initialize.h"
#include "core/ops/adamw.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/linear.h"
#include "core/ops/linear_cross_entropy.h"
#include "core/ops/norm.h"
#include "core/weights/load_weights.h"

namespace headroom {
namespace {

constexpr double kNormEps = 1e-5;
constexpr double kInitStd = 0.02;

/// One classifier: a stream, a task and a rate.
struct Classifier {
    std::string name;
    int stream = 0, task = 0;
    double rate = 0;
    GraphParameter gain, weight;
    ValueId loss = kNoValue, eval_loss = kNoValue, eval_correct = kNoValue;
};

GraphParameter add_parameter(Graph& graph, const std::string& owner, ParameterSpec spec,
                             DType type) {
    GraphParameter parameter{std::move(spec), kNoValue, kNoValue, kNoValue, kNoValue};
    const std::string name = owner + "." + parameter.spec.name;
    const TensorType shape{type, parameter.spec.shape};
    parameter.value = graph.add_value(name, shape, Role::kParameter);
    parameter.moment1 = graph.add_value(name + ".m", shape, Role::kOptimizer);
    parameter.moment2 = graph.add_value(name + ".v", shape, Role::kOptimizer);
    return parameter;
}

ValueId add_norm(Graph& graph, Phase phase, const std::string& name, const Classifier& c,
                 ValueId stream) {
    return graph.apply(phase, std::make_shared<LayerNorm>(kNormEps), {stream, c.gain.value},
                       {name + ".norm", name + ".mean", name + ".rstd"})[0];
}

/// LayerNorm, linear map and cross-entropy.
ValueId add_loss(Graph& graph, Phase phase, const std::string& name, const Classifier& c,
                 ValueId stream, ValueId targets, double gradient_scale) {
    return graph.apply1(
        phase,
        std::make_shared<LinearCrossEntropy>(LinearCrossEntropyOptions{false, gradient_scale}),
        {add_norm(graph, phase, name, c, stream), c.weight.value, targets}, name + ".loss",
        Role::kResult);
}

/// The same with the count of what is right: all logits are in memory.
void add_counted_evaluation(Graph& graph, Classifier& c, ValueId stream, ValueId targets) {
    const std::string name = "eval." + c.name;
    const ValueId logits = graph.apply1(
        Phase::kEvaluate, std::make_shared<Linear>(),
        {add_norm(graph, Phase::kEvaluate, name, c, stream), c.weight.value}, name + ".logits");
    const std::vector<ValueId> made =
        graph.apply(Phase::kEvaluate, std::make_shared<CrossEntropy>(), {logits, targets},
                    {name + ".loss", name + ".correct"}, Role::kResult);
    c.eval_loss = made[0];
    c.eval_correct = made[1];
}

void add_update(Graph& graph, const Classifier& c, const TrainConfig& train) {
    const ValueId norm = graph.apply1(Phase::kUpdate, std::make_shared<GradientNorm>(),
                                      {c.gain.gradient, c.weight.gradient}, c.name + ".grad_norm");
    for (const GraphParameter* parameter : {&c.gain, &c.weight}) {
        const bool decays = parameter == &c.weight;
        const AdamWOptions options{.beta1 = train.beta1,
                                   .beta2 = train.beta2,
                                   .eps = train.eps,
                                   .weight_decay = decays ? train.weight_decay : 0.0,
                                   .grad_clip = train.grad_clip,
                                   .lr_scale = c.rate};
        graph.append({std::make_shared<AdamW>(options),
                      graph.value(parameter->value).name + ".update",
                      Phase::kUpdate,
                      {parameter->gradient, norm},
                      {parameter->value, parameter->moment1, parameter->moment2},
                      std::vector<Write>(3, Write::kAccumulate)});
    }
}

}  // namespace

struct ProbeClassifiers::Program {
    Graph graph;
    std::vector<ValueId> streams, targets;
    std::vector<Classifier> classifiers;  ///< by stream, task, rate

    void add_inputs(const ClassifierSet& set);
    void add_classifiers(const ClassifierSet& set);
};

void ProbeClassifiers::Program::add_inputs(const ClassifierSet& set) {
    for (int s = 0; s < set.streams; ++s)
        streams.push_back(graph.add_value(fmt::format("stream.{}", s),
                                          {set.type, {set.rows, set.d_model}}, Role::kInput));
    for (int t = 0; t < set.tasks; ++t)
        targets.push_back(
            graph.add_value(fmt::format("targets.{}", t), {DType::kI32, {set.rows}}, Role::kInput));
}

void ProbeClassifiers::Program::add_classifiers(const ClassifierSet& set) {
    for (int s = 0; s < set.streams; ++s)
        for (int t = 0; t < set.tasks; ++t)
            for (size_t r = 0; r < set.rates.size(); ++r) {
                Classifier c{fmt::format("probe.{}.{}.{}", s, t, r), s, t, set.rates[r], {}, {}};
                ParameterSpec gain{"ln.weight", {set.d_model}, ParameterRole::kNorm};
                ParameterSpec weight{"weight", {set.d_model, set.vocab_size}, ParameterRole::kHead};
                weight.init_std = kInitStd;
                c.gain = add_parameter(graph, c.name, std::move(gain), set.type);
                c.weight = add_parameter(graph, c.name, std::move(weight), set.type);
                classifiers.push_back(std::move(c));
            }
}

ProbeClassifiers::Program ProbeClassifiers::build(const ClassifierSet& set) {
    Program program;
    Graph& graph = program.graph;
    program.add_inputs(set);
    program.add_classifiers(set);
    const auto input = [](const std::vector<ValueId>& ids, int i) {
        return ids[static_cast<size_t>(i)];
    };
    const double gradient_scale = 1.0 / static_cast<double>(set.train.grad_accum);
    std::vector<std::pair<ValueId, ValueId>> losses;
    for (Classifier& c : program.classifiers) {
        c.loss = add_loss(graph, Phase::kForward, c.name, c, input(program.streams, c.stream),
                          input(program.targets, c.task), gradient_scale);
        losses.emplace_back(c.loss, kNoValue);
    }
    const auto gradients = differentiate(graph, losses);
    for (Classifier& c : program.classifiers) {
        c.gain.gradient = gradients.at(c.gain.value);
        c.weight.gradient = gradients.at(c.weight.value);
        add_update(graph, c, set.train);
        const ValueId stream = input(program.streams, c.stream);
        const ValueId targets = input(program.targets, c.task);
        if (set.correct)
            add_counted_evaluation(graph, c, stream, targets);
        else
            c.eval_loss =
                add_loss(graph, Phase::kEvaluate, "eval." + c.name, c, stream, targets, 1);
    }
    return program;
}

MemoryLedger ProbeClassifiers::memory(const ClassifierSet& set, int threads) {
    return plan_memory(build(set).graph, threads).ledger;
}

ProbeClassifiers::ProbeClassifiers(const ClassifierSet& set, Device& device)
    : set_(set), program_(std::make_unique<Program>(build(set))) {
    CHECK(set.type == DType::kF32 || set.type == DType::kF64, "streams in float32 or float64");
    executor_ = device.prepare(program_->graph);
    std::vector<GraphParameter> parameters;
    for (const Classifier& c : program_->classifiers) {
        parameters.push_back(c.gain);
        parameters.push_back(c.weight);
    }
    initialize_weights(*executor_, parameters, set.seed);
}

ProbeClassifiers::~ProbeClassifiers() = default;

template <class T>
void ProbeClassifiers::write_stream(int stream, std::span<const T> values) {
    CHECK(DTypeOf<T>::value == set_.type, "a stream of the set's type");
    executor_->write(program_->streams[static_cast<size_t>(stream)], std::as_bytes(values));
}

template void ProbeClassifiers::write_stream(int, std::span<const float>);
template void ProbeClassifiers::write_stream(int, std::span<const double>);

void ProbeClassifiers::write_targets(int task, std::span<const int32_t> targets) {
    executor_->write(program_->targets[static_cast<size_t>(task)], std::as_bytes(targets));
}

void ProbeClassifiers::train(int64_t step, int64_t micro) {
    // Rates scale a schedule whose highest rate is 1.
    TrainConfig shape = set_.train;
    shape.min_lr = shape.lr > 0 ? shape.min_lr / shape.lr : 0.0;
    shape.lr = 1;
    const StepContext context{set_.seed, step, micro, learning_rate(shape, step)};
    executor_->run(Phase::kForward, context);
    executor_->run(Phase::kBackward, context);
    if (micro + 1 == set_.train.grad_accum) executor_->run(Phase::kUpdate, context);
}

void ProbeClassifiers::evaluate() {
    executor_->run(Phase::kEvaluate, {});
}

size_t ProbeClassifiers::index(int stream, int task, int rate) const {
    return (static_cast<size_t>(stream) * static_cast<size_t>(set_.tasks) +
            static_cast<size_t>(task)) *
               set_.rates.size() +
           static_cast<size_t>(rate);
}

double ProbeClassifiers::train_loss(int stream, int task, int rate) const {
    return read_scalar(*executor_, program_->classifiers[index(stream, task, rate)].loss);
}

double ProbeClassifiers::eval_loss(int stream, int task, int rate) const {
    return read_scalar(*executor_, program_->classifiers[index(stream, task, rate)].eval_loss);
}

double ProbeClassifiers::eval_correct(int stream, int task, int rate) const {
    CHECK(set_.correct, "what is right is counted where it was asked for");
    return read_scalar(*executor_, program_->classifiers[index(stream, task, rate)].eval_correct);
}

}  // namespace headroom
