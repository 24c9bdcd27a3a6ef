#include "core/op_cases/op_case_run.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>

#include "core/autodiff/differentiate.h"
#include "core/base/philox.h"
#include "core/cpu/parallel.h"
#include "core/ops/dispatch.h"

namespace headroom {
namespace {

constexpr int64_t kGuardBytes = 256;

/// Uniform in (0, 1).
double uniform(uint32_t word) {
    return (static_cast<double>(word) + 0.5) / 4294967296.0;
}

double normal(uint64_t seed, uint64_t element) {
    const auto words = Philox::block({static_cast<uint32_t>(element), 0, 0, 0},
                                     static_cast<uint32_t>(seed), 0x0C45E5u);
    return std::sqrt(-2.0 * std::log(uniform(words[0]))) *
           std::cos(2.0 * std::numbers::pi * uniform(words[1]));
}

template <class F>
void for_each_float(const Tensor& tensor, F&& f) {
    dispatch_float(tensor.type.dtype, [&]<class T>(T) {
        for (int64_t i = 0; i < tensor.count(); ++i) f(i, tensor.as<T>()[i]);
    });
}

ValueId add_input(Graph& graph, const CaseInput& input) {
    const DType master = accumulator_of(input.type.dtype);
    if (!input.weight || master == input.type.dtype)
        return graph.add_value(input.name, input.type, Role::kInput);
    const ValueId copy = graph.add_value(input.name, input.type, Role::kWorkingCopy);
    graph.set_master(copy, graph.add_value(input.name + ".master", {master, input.type.shape},
                                           Role::kParameter));
    return copy;
}

}  // namespace

CaseGraph::CaseGraph(const OpCase& op_case) {
    std::vector<ValueId> wanted, receivers;
    for (const CaseInput& input : op_case.inputs) {
        inputs.push_back(add_input(graph, input));
        const ValueId master = graph.value(inputs.back()).master;
        receivers.push_back(master == kNoValue ? inputs.back() : master);
        if (input.differentiate) wanted.push_back(receivers.back());
    }
    std::vector<std::string> names;
    const size_t count = op_case.op->infer(graph.types_of(inputs)).size();
    for (size_t i = 0; i < count; ++i) names.push_back("out" + std::to_string(i));
    if (op_case.updates) {
        append_update(op_case, names);
        return;
    }
    outputs = graph.apply(Phase::kForward, op_case.op, inputs, names, Role::kResult);

    gradients.assign(inputs.size(), kNoValue);
    if (wanted.empty()) return;
    std::vector<std::pair<ValueId, ValueId>> seeded;
    for (const size_t i : op_case.differentiable_outputs) {
        if (!op_case.is_loss)
            seeds.push_back(graph.add_value("seed" + std::to_string(i),
                                            graph.value(outputs[i]).type, Role::kInput));
        seeded.emplace_back(outputs[i], op_case.is_loss ? kNoValue : seeds.back());
    }
    const auto found = differentiate(graph, seeded, wanted);
    for (size_t i = 0; i < inputs.size(); ++i)
        if (const auto it = found.find(receivers[i]); it != found.end()) gradients[i] = it->second;
}

void CaseGraph::append_update(const OpCase& op_case, const std::vector<std::string>& names) {
    const std::vector<TensorType> types = op_case.op->infer(graph.types_of(inputs));
    for (size_t i = 0; i < types.size(); ++i)
        outputs.push_back(graph.add_value(names[i], types[i], Role::kParameter));
    graph.append({op_case.op, names.front(), Phase::kUpdate, inputs, outputs,
                  std::vector<Write>(outputs.size(), Write::kAccumulate)});
    gradients.assign(inputs.size(), kNoValue);
}

std::vector<double> case_numbers(const CaseInput& input, uint64_t seed) {
    if (!input.given.empty()) return input.given;
    std::vector<double> numbers(static_cast<size_t>(input.type.count()));
    const auto number = [&](size_t i) {
        if (input.limit > 0) {
            const auto words =
                Philox::block({static_cast<uint32_t>(i), 1, 0, 0}, static_cast<uint32_t>(seed), 0);
            const auto span = static_cast<double>(input.limit - input.first);
            return static_cast<double>(input.first) + std::floor(uniform(words[0]) * span);
        }
        const double x = input.mean + input.deviation * normal(seed, i);
        if (std::abs(x) < input.kink_margin) return x < 0 ? -input.kink_margin : input.kink_margin;
        return x;
    };
    constexpr int64_t kGrain = 4096;
    parallel_for(std::ssize(numbers), kGrain, [&](int64_t begin, int64_t end) {
        for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
            numbers[i] = number(i);
    });
    return numbers;
}

void each_host_value(const OpCase& op_case, const CaseGraph& graph, uint64_t seed,
                     const std::function<void(ValueId, const std::vector<double>&)>& f) {
    const auto fill = [&](ValueId id, CaseInput input, uint64_t stream) {
        input.type = graph.graph.value(id).type;
        f(id, case_numbers(input, seed * 1000 + stream));
    };
    for (size_t i = 0; i < graph.inputs.size(); ++i) fill(graph.inputs[i], op_case.inputs[i], i);
    for (size_t i = 0; i < graph.seeds.size(); ++i) fill(graph.seeds[i], {}, 500 + i);
    CaseInput before;
    before.mean = op_case.updated_mean;
    before.deviation = op_case.updated_deviation;
    for (size_t i = 0; op_case.updates && i < graph.outputs.size(); ++i)
        fill(graph.outputs[i], before, 700 + i);
}

std::vector<double> to_doubles(const Tensor& tensor) {
    std::vector<double> numbers(static_cast<size_t>(tensor.count()));
    if (tensor.type.dtype == DType::kI32)
        std::copy_n(tensor.as<const int32_t>(), tensor.count(), numbers.begin());
    else
        for_each_float(tensor, [&](int64_t i, auto& x) {
            numbers[static_cast<size_t>(i)] = static_cast<double>(x);
        });
    return numbers;
}

void from_doubles(const std::vector<double>& numbers, const Tensor& tensor) {
    CHECK(static_cast<int64_t>(numbers.size()) == tensor.count(), "a tensor of another size");
    if (tensor.type.dtype == DType::kI32)
        std::transform(numbers.begin(), numbers.end(), tensor.as<int32_t>(),
                       [](double x) { return static_cast<int32_t>(x); });
    else
        for_each_float(tensor, [&]<class T>(int64_t i, T& x) {
            x = static_cast<T>(numbers[static_cast<size_t>(i)]);
        });
}

void CaseRun::Buffer::Free::operator()(std::byte* data) const {
    std::free(data);
}

CaseRun::Buffer::Buffer(int64_t bytes)
    : bytes_(bytes),
      size_((bytes + kGuardBytes + 63) / 64 * 64),
      data_(static_cast<std::byte*>(std::aligned_alloc(64, static_cast<size_t>(size_)))) {
    CHECK(data_ != nullptr, "no memory for an operator case");
    std::memset(data_.get(), 0xff, static_cast<size_t>(size_));  // NaN in every floating type
}

bool CaseRun::Buffer::intact() const {
    return std::all_of(data_.get() + bytes_, data_.get() + size_,
                       [](std::byte b) { return b == std::byte{0xff}; });
}

CaseRun::CaseRun(const OpCase& op_case, uint64_t seed) : graph_(op_case) {
    step.seed = 7;
    step.step = 3;
    step.lr = 0.01;
    for (const Value& value : graph_.graph.values()) buffers_.emplace_back(value.type.bytes());
    each_host_value(op_case, graph_, seed, [&](ValueId id, const std::vector<double>& numbers) {
        from_doubles(numbers, tensor(id));
    });
}

Tensor CaseRun::tensor(ValueId id) {
    return {buffers_[static_cast<size_t>(id)].data(), graph_.graph.value(id).type};
}

void CaseRun::run_node(size_t n, Kernels kernels, bool accumulate) {
    const Node& node = graph_.graph.nodes()[n];
    std::vector<Tensor> inputs, outputs;
    for (const ValueId id : node.inputs) inputs.push_back(tensor(id));
    for (const ValueId id : node.outputs) outputs.push_back(tensor(id));
    std::vector<uint8_t> flags;
    for (const Write write : node.writes)
        flags.push_back(accumulate || write == Write::kAccumulate);
    const int64_t bytes =
        node.op->workspace_bytes(graph_.graph.types_of(node.inputs), context_.threads());
    const Buffer workspace(bytes);
    const KernelCall call{inputs, outputs, flags, {workspace.data(), static_cast<size_t>(bytes)},
                          step,   context_};
    if (kernels == Kernels::kFast)
        node.op->run(call);
    else
        node.op->run_reference(call);
    const auto name = std::string(node.op->name());
    CHECK(workspace.intact(), name + " wrote beyond its workspace");
    for (const ValueId id : node.outputs)
        CHECK(buffers_[static_cast<size_t>(id)].intact(), name + " wrote beyond an output");
}

void CaseRun::run_all(Kernels kernels) {
    for (size_t n = 0; n < node_count(); ++n) run_node(n, kernels);
}

}  // namespace headroom
