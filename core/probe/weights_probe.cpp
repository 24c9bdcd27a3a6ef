#include "core/probe/weights_probe.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "core/base/error.h"
#include "core/data/batch.h"
#include "core/device/batch_inputs.h"
#include "core/linalg/svd.h"
#include "core/ops/dispatch.h"
#include "core/weights/load_weights.h"

namespace headroom {
namespace {

Job gradient_job(const ModelConfig& model, const ProbeShape& shape, int64_t passes) {
    Job job;
    job.model = model;
    job.precision = shape.precision;
    job.train.batch_size = shape.batch_size;
    job.train.seq_len = shape.seq_len;
    job.train.grad_accum = passes;
    job.train.dropout = 0;
    return job;
}

double norm(const std::vector<double>& x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

/// NaN for all where the matrix is not finite: a diverged tensor does not hide the others.
std::vector<double> values_of(const Shape& shape, std::vector<double> matrix) {
    const auto count = static_cast<size_t>(std::min(shape[0], shape[1]));
    if (!std::all_of(matrix.begin(), matrix.end(), [](double x) { return std::isfinite(x); }))
        return std::vector<double>(count, std::numeric_limits<double>::quiet_NaN());
    return singular_values(Matrix(shape[0], shape[1], std::move(matrix)));
}

}  // namespace

GradientPass::GradientPass(const ModelConfig& model, const ProbeShape& shape, int64_t passes,
                           Device& device)
    : shape_(shape), passes_(passes) {
    if (shape.seq_len < 2)
        throw UserError("a sequence of one token has no next token, so no loss and no gradient",
                        "give at least two tokens");
    device.check_precision(shape.precision);
    training_ = build_gradient_graph(gradient_job(model, shape, passes));
    executor_ = device.prepare(training_.graph);
}

MemoryLedger GradientPass::memory(const ModelConfig& model, const ProbeShape& shape, int threads) {
    return plan_memory(build_gradient_graph(gradient_job(model, shape, 1)).graph, threads).ledger;
}

void GradientPass::load(const WeightSource& weights) {
    load_weights(*executor_, training_.parameters, weights);
}

void GradientPass::run(std::span<const int32_t> tokens) {
    CHECK(static_cast<int64_t>(tokens.size()) == shape_.batch_size * shape_.seq_len,
          "as many tokens as the pass was made for");
    write_batch(*executor_, training_.values.inputs, next_token_batch(tokens, shape_.seq_len));
    StepContext context;
    context.micro = done_++;  // adds to the gradients of the passes before
    executor_->run(Phase::kForward, context);
    executor_->run(Phase::kBackward, context);
    loss_ += read_scalar(*executor_, training_.loss);
}

std::vector<double> GradientPass::gradient(const std::string& name) const {
    for (const GraphParameter& parameter : training_.parameters) {
        if (parameter.spec.name != name) continue;
        std::vector<double> gradient(static_cast<size_t>(parameter.spec.count()));
        if (parameter.gradient == kNoValue) return gradient;
        const DType dtype = training_.graph.value(parameter.gradient).type.dtype;
        dispatch_accumulator(dtype, [&]<class T>(T) {
            std::vector<T> stored(gradient.size());
            executor_->read(parameter.gradient, std::as_writable_bytes(std::span(stored)));
            gradient.assign(stored.begin(), stored.end());
        });
        return gradient;
    }
    CHECK(false, "the model has no tensor " + name);
}

std::vector<WeightNumbers> measure_weights(const WeightSource& weights,
                                           const GradientPass& gradients) {
    std::vector<WeightNumbers> all;
    for (const ParameterSpec& spec : weights.specs()) {
        std::vector<double> values = weights.read<double>(spec.name);
        WeightNumbers numbers{spec.name, spec.shape, norm(values),
                              norm(gradients.gradient(spec.name))};
        if (spec.shape.size() == 2)
            numbers.singular_values = values_of(spec.shape, std::move(values));
        all.push_back(std::move(numbers));
    }
    return all;
}

void write_weights(ArrayFileWriter& file, const std::vector<WeightNumbers>& numbers) {
    for (const WeightNumbers& one : numbers) {
        const std::string group = "/weights/" + one.name;
        file.add(group + "/norm", {1}, std::vector<double>{one.norm});
        file.add(group + "/gradient_norm", {1}, std::vector<double>{one.gradient_norm});
        if (!one.singular_values.empty()) {
            file.add(group + "/singular_values", {std::ssize(one.singular_values)},
                     one.singular_values);
            file.plot_hint({group, "singular_values"});
        }
        file.attribute(group, "shape", to_string(one.shape));
    }
}

}  // namespace headroom
