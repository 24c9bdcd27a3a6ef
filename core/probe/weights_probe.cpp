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
#include "core/probe/probe_datasets.h"
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

/// Whether each pass of `rows` rows has that many targets: the mean of their means is then the
/// mean.
bool every_pass_has(int64_t targets, const Batch& asked, int64_t rows) {
    const auto length = asked.targets().size() / static_cast<size_t>(asked.batch_size()) *
                        static_cast<size_t>(rows);
    for (size_t first = 0; first < asked.targets().size(); first += length)
        if (count_valid(asked.targets().subspan(first, length)) != targets) return false;
    return true;
}

}  // namespace

GradientPass::GradientPass(const ModelConfig& model, const ProbeShape& shape, const Batch& asked,
                           Device& device)
    : asked_(asked), passes_(asked.batch_size() / shape.batch_size) {
    const int64_t targets = count_valid(asked.targets());
    if (targets == 0)
        throw UserError("a sequence of one token has no next token, so no loss and no gradient",
                        "give at least two tokens");
    device.check_precision(shape.precision);
    const bool even = every_pass_has(targets / passes_, asked, shape.batch_size);
    training_ = build_gradient_graph(gradient_job(model, shape, passes_),
                                     even ? MeanOver::kOwnTargets : MeanOver::kGiven);
    executor_ = device.prepare(training_.graph);
    if (even) return;
    const double mean_over = static_cast<double>(targets) / static_cast<double>(passes_);
    executor_->write(training_.mean_over, std::as_bytes(std::span(&mean_over, 1)));
}

MemoryLedger GradientPass::memory(const ModelConfig& model, const ProbeShape& shape, int threads) {
    const TrainingGraph training =
        build_gradient_graph(gradient_job(model, shape, 1), MeanOver::kOwnTargets);
    return plan_memory(training.graph, threads).ledger;
}

void GradientPass::load(const WeightSource& weights) {
    load_weights(*executor_, training_.parameters, weights);
}

void GradientPass::run() {
    Batch part = batch_for(training_.graph, training_.values.inputs);
    StepContext context;
    for (; context.micro < passes_; ++context.micro) {  // each adds to the gradients before it
        part.copy_rows(asked_, context.micro * part.batch_size());
        write_batch(*executor_, training_.values.inputs, part);
        executor_->run(Phase::kForward, context);
        executor_->run(Phase::kBackward, context);
        loss_ += read_scalar(*executor_, training_.loss);
    }
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
        const std::string group = weight_group(one.name);
        file.add(group + kWeightNorm, {1}, std::vector<double>{one.norm});
        file.add(group + kGradientNorm, {1}, std::vector<double>{one.gradient_norm});
        if (!one.singular_values.empty()) {
            file.add(group + kSingularValues, {std::ssize(one.singular_values)},
                     one.singular_values);
            file.plot_hint({group, "singular_values"});
        }
        file.attribute(group, "shape", to_string(one.shape));
    }
}

}  // namespace headroom
