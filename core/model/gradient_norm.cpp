#include "core/model/gradient_norm.h"

#include <algorithm>
#include <optional>

#include "core/ops/adamw.h"

namespace headroom {
namespace {

/// A node that writes a gradient, and which of its outputs that is.
struct Writer {
    size_t node;
    size_t output;
};

std::vector<Writer> writers_of(const Graph& graph, ValueId gradient) {
    std::vector<Writer> writers;
    for (size_t n = 0; n < graph.nodes().size(); ++n) {
        const std::vector<ValueId>& outputs = graph.nodes()[n].outputs;
        for (size_t o = 0; o < outputs.size(); ++o)
            if (outputs[o] == gradient) writers.push_back({n, o});
    }
    return writers;
}

OpPtr telling(const Graph& graph, const Writer& writer) {
    return graph.nodes()[writer.node].op->telling_norm(static_cast<int>(writer.output));
}

/// Makes all writers of a gradient tell its squared norm. Returns it, or nothing if one cannot.
std::optional<ValueId> told_norm(Graph& graph, ValueId gradient) {
    const std::vector<Writer> writers = writers_of(graph, gradient);
    if (writers.empty() || !std::all_of(writers.begin(), writers.end(), [&](const Writer& writer) {
            return telling(graph, writer) != nullptr;
        }))
        return std::nullopt;
    const ValueId norm = graph.add_value(graph.value(gradient).name + ".squared_norm",
                                         {DType::kF64, {1}}, Role::kResult);
    for (const Writer& writer : writers) {
        Node node = graph.nodes()[writer.node];
        node.op = telling(graph, writer);
        node.outputs.push_back(norm);
        node.writes.push_back(node.writes[writer.output]);
        graph.set_node(writer.node, std::move(node));
    }
    return norm;
}

}  // namespace

void tell_gradient_norms(Graph& graph, const Job& job) {
    if (job.train.grad_accum > 1) return;
    for (size_t n = 0; n < graph.nodes().size(); ++n) {
        if (dynamic_cast<const GradientNorm*>(graph.nodes()[n].op.get()) == nullptr) continue;
        Node node = graph.nodes()[n];
        std::vector<ValueId> read, told;
        for (const ValueId gradient : node.inputs) {
            if (const std::optional<ValueId> norm = told_norm(graph, gradient))
                told.push_back(*norm);
            else
                read.push_back(gradient);
        }
        node.op = std::make_shared<GradientNorm>(told.size());
        node.inputs = read;
        node.inputs.insert(node.inputs.end(), told.begin(), told.end());
        graph.set_node(n, std::move(node));
    }
}

TrainingGraph build_cpu_training_graph(const Job& job) {
    TrainingGraph training = build_training_graph(job);
    tell_gradient_norms(training.graph, job);
    return training;
}

}  // namespace headroom
