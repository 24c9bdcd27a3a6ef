#pragma once

#include <memory>
#include <vector>

#include "core/cpu/cpu_context.h"
#include "core/op_cases/op_case_run.h"

namespace headroom {

/// A tensor with memory of its own, filled from doubles.
struct TestTensor {
    TensorType type;
    std::vector<std::byte> bytes;

    explicit TestTensor(TensorType t) : type(std::move(t)) {
        bytes.resize(static_cast<size_t>(type.bytes()));
    }
    TestTensor(TensorType t, const std::vector<double>& numbers) : TestTensor(std::move(t)) {
        from_doubles(numbers, tensor());
    }
    Tensor tensor() { return {bytes.data(), type}; }
    std::vector<double> numbers() { return to_doubles(tensor()); }
};

inline std::vector<double> normal_numbers(const Shape& shape, uint64_t seed) {
    CaseInput input;
    input.type = {DType::kF64, shape};
    return case_numbers(input, seed);
}

/// Runs the fast kernel of `op` once into `outputs`; accumulate[i] adds to outputs[i].
inline void run_op(const Op& op, std::vector<TestTensor>& inputs, std::vector<TestTensor>& outputs,
                   const std::vector<uint8_t>& accumulate, const StepContext& step) {
    std::vector<TensorType> types;
    std::vector<Tensor> in, out;
    for (TestTensor& input : inputs) {
        types.push_back(input.type);
        in.push_back(input.tensor());
    }
    for (TestTensor& output : outputs) out.push_back(output.tensor());
    CpuContext cpu;
    const auto bytes = static_cast<size_t>(op.workspace_bytes(types, cpu.threads()));
    std::vector<std::byte> memory(bytes + 64);
    void* aligned = memory.data();
    size_t size = memory.size();
    std::align(64, bytes, aligned, size);
    const std::span<std::byte> workspace(static_cast<std::byte*>(aligned), bytes);
    op.run({in, out, accumulate, workspace, step, cpu});
}

/// Runs the fast kernel of `op` once; returns its outputs as doubles.
inline std::vector<std::vector<double>> call_op(const Op& op, std::vector<TestTensor> inputs,
                                                const StepContext& step = {}) {
    std::vector<TensorType> types;
    for (const TestTensor& input : inputs) types.push_back(input.type);
    std::vector<TestTensor> results;
    for (const TensorType& type : op.infer(types)) results.emplace_back(type);
    run_op(op, inputs, results, std::vector<uint8_t>(results.size(), 0), step);
    std::vector<std::vector<double>> numbers;
    for (TestTensor& result : results) numbers.push_back(result.numbers());
    return numbers;
}

}  // namespace headroom
