#pragma once

#include "core/model/model_graph.h"

namespace headroom {

/// Lets the operators that write a gradient tell its squared norm (Op::telling_norm) to the
/// GradientNorm of a finished training graph, which then need not read that gradient again: a
/// twentieth of a step of GPT-2 124M in bfloat16 on a CPU. Gradients that something else writes,
/// too, are read as before, and so are all of a step of several micro-batches: each would be
/// measured before and after. For a process that trains alone, on a device that tells_norms():
/// what a group averages is not what was told.
void tell_gradient_norms(Graph& graph, const Job& job);

/// build_training_graph as a process that trains alone runs it on the CPU.
TrainingGraph build_cpu_training_graph(const Job& job);

}  // namespace headroom
