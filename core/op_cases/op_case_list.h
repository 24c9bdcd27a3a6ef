#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/op_cases/op_cases.h"

namespace headroom {

/// Collects the cases of one storage type. T: a tensor of it, A: of its accumulator type.
struct OpCaseList {
    DType dtype;
    bool small;
    std::vector<OpCase> list;
    TimedSizes timed{};  ///< of cases that are not small

    /// Of a residual stream, and of an MLP's hidden layer.
    Shape stream() const { return {timed.batch_size, timed.seq_len, timed.d_model}; }
    Shape hidden() const { return {timed.batch_size, timed.seq_len, timed.d_ff}; }
    int64_t d_head() const { return timed.d_model / timed.n_head; }

    TensorType T(Shape shape) const { return {dtype, std::move(shape)}; }
    TensorType A(Shape shape) const { return {accumulator_of(dtype), std::move(shape)}; }

    template <class SomeOp>
    OpCase& add(std::string name, SomeOp op, std::vector<CaseInput> inputs) {
        OpCase c;
        c.name = std::move(name);
        c.op = std::make_shared<SomeOp>(std::move(op));
        c.inputs = std::move(inputs);
        list.push_back(std::move(c));
        return list.back();
    }
    CaseInput normal(std::string name, Shape shape) const {
        CaseInput input;
        input.name = std::move(name);
        input.type = T(std::move(shape));
        return input;
    }
    CaseInput table(std::string name, Shape shape, double mean, double deviation) const {
        CaseInput input = normal(std::move(name), {});
        input.type = A(std::move(shape));
        input.mean = mean;
        input.deviation = deviation;
        return input;
    }
    CaseInput tokens(Shape shape, int64_t first, int64_t limit) const {
        CaseInput input = normal("tokens", {});
        input.type = {DType::kI32, std::move(shape)};
        input.first = first;
        input.limit = limit;
        input.differentiate = false;
        return input;
    }
    /// Whole numbers that other inputs must fit.
    CaseInput whole(std::string name, Shape shape, std::vector<double> numbers) const {
        CaseInput input = tokens(std::move(shape), 0, 0);
        input.name = std::move(name);
        input.given = std::move(numbers);
        return input;
    }
};

void add_attention_cases(OpCaseList& c);
void add_decoding_cases(OpCaseList& c);
void add_expert_cases(OpCaseList& c);

}  // namespace headroom
