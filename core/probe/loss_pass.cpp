#include "core/probe/loss_pass.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/data/batch.h"
#include "core/device/batch_inputs.h"
#include "core/ops/column_mix.h"
#include "core/ops/dispatch.h"
#include "core/weights/load_weights.h"

namespace headroom {
namespace {

Job loss_job(const ModelConfig& model, const ProbeShape& shape) {
    Job job;
    job.model = model;
    job.precision = shape.precision;
    job.train.batch_size = shape.batch_size;
    job.train.seq_len = shape.seq_len;
    job.train.dropout = 0;
    return job;
}

/// The evaluation of the model, its attention edited. Values of the original keep their ids.
EvaluationGraph edited_graph(const ModelConfig& model, const ProbeShape& shape,
                             const LossPass::Edit& edit) {
    EvaluationGraph evaluation = build_evaluation_graph(loss_job(model, shape));
    const Graph& original = evaluation.graph;
    GraphCopy copy;
    for (const Value& value : original.values()) {
        const ValueId id = copy.graph.add_value(value.name, value.type, value.role);
        if (value.master != kNoValue) copy.graph.set_master(id, value.master);
    }
    int layer = 0;
    for (const Node& node : original.nodes())
        if (node.op->name() == "attention")
            edit(copy, layer++, node);
        else
            copy.append(node);
    CHECK(layer == model.n_layer, "one attention in each layer");
    evaluation.graph = std::move(copy.graph);
    return evaluation;
}

}  // namespace

ValueId GraphCopy::now(ValueId value) const {
    for (const auto& [from, to] : replaced_)
        if (from == value) return to;
    return value;
}

void GraphCopy::append(Node node) {
    for (ValueId& input : node.inputs) input = now(input);
    graph.append(std::move(node));
}

ValueId GraphCopy::apply(OpPtr op, std::vector<ValueId> inputs, const std::string& name) {
    return graph.apply1(Phase::kEvaluate, std::move(op), std::move(inputs), name);
}

LossPass::Edit no_edit() {
    return [](GraphCopy& copy, int, Node attention) { copy.append(std::move(attention)); };
}

std::string change_text(double nats) {
    constexpr double kShown = 0.00005;
    return std::abs(nats) < kShown ? "0.0000" : fmt::format("{:+.4f}", nats);
}

OpPtr scaled_heads(int64_t heads, int64_t width) {
    ColumnMixOptions mix{1, {}};
    for (int64_t h = 0; h < heads; ++h)
        mix.pieces.push_back({width, {{0, h * width, 0.0, 1.0, 0, h}}});
    return std::make_shared<ColumnMix>(std::move(mix));
}

LossPass::LossPass(const ModelConfig& model, const ProbeShape& shape, const Edit& edit,
                   Device& device, Keep keep) {
    device.check_precision(shape.precision);
    evaluation_ = edited_graph(model, shape, edit);
    if (keep == Keep::kFeatures) evaluation_.graph.keep(evaluation_.features);
    executor_ = device.prepare(evaluation_.graph);
    executor_->watch(evaluation_.values.eval_loss);
}

MemoryLedger LossPass::memory(const ModelConfig& model, const ProbeShape& shape, const Edit& edit,
                              int threads) {
    return plan_memory(edited_graph(model, shape, edit).graph, threads).ledger;
}

void LossPass::load(const WeightSource& weights) {
    load_weights(*executor_, evaluation_.parameters, weights);
}

void LossPass::write(ValueId input, std::span<const double> numbers) {
    const TensorType& type = evaluation_.graph.value(input).type;
    dispatch_float(type.dtype, [&]<class T>(T) {
        std::vector<T> stored(numbers.size());
        for (size_t i = 0; i < stored.size(); ++i)
            stored[i] = static_cast<T>(static_cast<accumulator_t<T>>(numbers[i]));
        executor_->write(input, std::as_bytes(std::span(stored)));
    });
}

double LossPass::loss(const Batch& asked, const LossPassHooks& hooks) {
    Batch part = batch_for(evaluation_.graph, evaluation_.values.inputs);
    CHECK(asked.batch_size() % part.batch_size() == 0, "whole passes of tokens");
    const int64_t targets = count_valid(asked.targets());
    if (targets == 0)
        throw UserError("a sequence of one token has no next token, so no loss",
                        "give at least two tokens");
    double sum = 0;
    int64_t pass = 0;
    for (int64_t first = 0; first < asked.batch_size(); first += part.batch_size()) {
        part.copy_rows(asked, first);
        if (hooks.before) hooks.before(pass++);
        write_batch(*executor_, evaluation_.values.inputs, part);
        executor_->run(Phase::kEvaluate, {});
        const int64_t counted = count_valid(part.targets());
        const double mean = executor_->watched(evaluation_.values.eval_loss);
        if (counted > 0) sum += mean * static_cast<double>(counted);
        if (hooks.after) hooks.after(counted > 0 ? mean : std::nan(""));
    }
    return sum / static_cast<double>(targets);
}

std::vector<double> LossPass::read(ValueId value) const {
    const TensorType& type = evaluation_.graph.value(value).type;
    std::vector<double> numbers(static_cast<size_t>(type.count()));
    dispatch_float(type.dtype, [&]<class T>(T) {
        std::vector<T> stored(numbers.size());
        executor_->read(value, std::as_writable_bytes(std::span(stored)));
        for (size_t i = 0; i < stored.size(); ++i)
            numbers[i] = static_cast<double>(static_cast<accumulator_t<T>>(stored[i]));
    });
    return numbers;
}

std::vector<double> LossPass::features() const {
    return read(evaluation_.features);
}

}  // namespace headroom
