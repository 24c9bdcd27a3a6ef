#include "core/train/predict_memory.h"

#include "core/cpu/parallel.h"
#include "core/model/gradient_norm.h"
#include "core/probe/training_probes.h"

namespace headroom {

RunMemory predict_memory(const Job& job) {
    return {plan_memory(build_cpu_training_graph(job).graph, cpu_threads()).ledger,
            predict_largest_probe(job)};
}

int64_t predict_largest_probe(const Job& job) {
    return training_probe_bytes(job, cpu_threads());
}

}  // namespace headroom
