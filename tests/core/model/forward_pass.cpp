#include "tests/core/model/forward_pass.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/error.h"
#include "core/model/initialize.h"
#include "core/op_cases/op_case_run.h"

namespace headroom {
namespace {

Weights filled(const ModelConfig& model, uint64_t seed, bool widely) {
    Weights weights;
    for (ParameterSpec spec : parameter_specs(model)) {
        if (widely && spec.init_std > 0) spec.init_std = 0.4;
        std::vector<double> values(static_cast<size_t>(spec.count()));
        fill_initial(spec, seed, std::span<double>(values));
        if (widely && spec.init_std == 0)
            for (size_t i = 0; i < values.size(); ++i)
                values[i] += 0.3 * std::sin(static_cast<double>(i + spec.name.size()));
        weights[spec.name] = std::move(values);
    }
    return weights;
}

void write_doubles(Executor& executor, ValueId id, const std::vector<double>& values) {
    const TensorType& type = executor.graph().value(id).type;
    CHECK(values.size() == static_cast<size_t>(type.count()),
          executor.graph().value(id).name + " has another size");
    std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
    from_doubles(values, {bytes.data(), type});
    executor.write(id, bytes);
}

}  // namespace

Weights random_weights(const ModelConfig& model, uint64_t seed) {
    return filled(model, seed, true);
}

Weights initial_weights(const ModelConfig& model, uint64_t seed) {
    return filled(model, seed, false);
}

void write_weights(Executor& executor, const std::vector<GraphParameter>& parameters,
                   const Weights& weights) {
    for (const GraphParameter& parameter : parameters)
        write_doubles(executor, parameter.value, weights.at(parameter.spec.name));
    executor.run(Phase::kPrepare, {});
}

std::vector<double> forward_logits(const ModelConfig& model, const Weights& weights,
                                   const std::vector<int32_t>& tokens, DType precision) {
    const auto device = make_cpu_device();
    InferenceGraph inference =
        build_inference_graph(model, precision, 1, static_cast<int64_t>(tokens.size()));
    const auto executor = device->prepare(inference.graph);
    write_weights(*executor, inference.parameters, weights);
    executor->write(inference.input, std::as_bytes(std::span(tokens)));
    executor->run(Phase::kForward, {});
    const TensorType& type = executor->graph().value(inference.logits).type;
    std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
    executor->read(inference.logits, bytes);
    return to_doubles({bytes.data(), type});
}

std::vector<int32_t> some_tokens(int64_t count, int64_t vocab_size) {
    std::vector<int32_t> tokens;
    for (int64_t i = 0; i < count; ++i)
        tokens.push_back(static_cast<int32_t>((i * 7 + 3) % vocab_size));
    return tokens;
}

double relative_error(const std::vector<double>& a, const std::vector<double>& b) {
    CHECK(a.size() == b.size() && !a.empty(), "two lists of one length");
    double difference = 0, largest = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        difference = std::max(difference, std::abs(a[i] - b[i]));
        largest = std::max(largest, std::abs(b[i]));
        if (std::isnan(a[i]) || std::isnan(b[i])) return std::nan("");
    }
    return difference / largest;
}

double loss_of(const ModelConfig& model, const Weights& weights, const std::vector<int32_t>& tokens,
               int64_t seq_len) {
    double loss = 0;
    const auto rows = static_cast<int64_t>(tokens.size()) / seq_len;
    for (int64_t b = 0; b < rows; ++b) {
        const std::vector<int32_t> row(tokens.begin() + b * seq_len,
                                       tokens.begin() + (b + 1) * seq_len);
        const std::vector<double> logits = forward_logits(model, weights, row);
        for (size_t i = 0; i + 1 < row.size(); ++i) {
            const double* at = logits.data() + static_cast<int64_t>(i) * model.vocab_size;
            double sum = 0;
            for (int64_t v = 0; v < model.vocab_size; ++v) sum += std::exp(at[v]);
            loss += (std::log(sum) - at[row[i + 1]]) / static_cast<double>(rows * (seq_len - 1));
        }
    }
    return loss;
}

}  // namespace headroom
