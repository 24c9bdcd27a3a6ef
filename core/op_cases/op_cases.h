#pragma once

#include <string>
#include <vector>

#include "core/graph/op.h"

namespace headroom {

/// One input of an operator case and how its numbers are made.
struct CaseInput {
    std::string name;
    TensorType type;
    double mean = 0.0, deviation = 1.0;  ///< normal numbers (floating types)
    int64_t first = 0, limit = 0;        ///< uniform in [first, limit) (int32)
    std::vector<double> given{};         ///< these numbers, where they must fit together
    /// The operator has a kink at zero: numbers keep this distance from it.
    double kink_margin = 0.0;
    bool differentiate = true;
    /// A weight matrix: in bfloat16 a working copy, whose gradient goes to its float32 master.
    bool weight = false;
};

/// One operator with inputs to try it on. The list of cases feeds the tests of forward kernels,
/// gradients, accumulation, threads and shape errors, the parity tests of other devices, and the
/// benchmark. An operator of core/ops without a case fails a test.
struct OpCase {
    std::string name;  ///< unique, e.g. "attention, values of another layer"
    OpPtr op;
    std::vector<CaseInput> inputs;
    /// Outputs whose gradient the operator takes; the others are saved statistics.
    std::vector<size_t> differentiable_outputs = {0};
    /// The output is a loss: its gradient rule takes loss_scale as its gradient.
    bool is_loss = false;
    double loss_scale = 1.0;
    /// The outputs are updated in place: they hold such numbers on entry.
    bool updates = false;
    double updated_mean = 0.0, updated_deviation = 1.0;
    /// Allowed |fast - reference| relative to |reference| + rms(reference). The defaults are a few
    /// roundings of the storage type.
    double tolerance_f32 = 4e-6;
    double tolerance_bf16 = 1e-2;
    /// Input types that must be refused, each in the place of one input.
    struct Refused {
        size_t input;
        TensorType type;
    };
    std::vector<Refused> refused;
};

/// What the cases of a benchmark are as large as.
struct TimedSizes {
    int64_t batch_size, seq_len, d_model, n_head, d_ff, vocab_size;
};

enum class CaseSize {
    kSmall,  ///< odd sizes that reach every branch, for tests
    kCpu,    ///< one case an operator for the benchmark, as large as a CPU trains
    kGpu,    ///< the same for a GPU, which would spend smaller ones on starting
};

/// Of kCpu or kGpu.
TimedSizes timed_sizes(CaseSize size);

/// All cases with inputs of storage type `dtype` (float32, float64 or bfloat16).
std::vector<OpCase> op_cases(DType dtype, CaseSize size);

}  // namespace headroom
