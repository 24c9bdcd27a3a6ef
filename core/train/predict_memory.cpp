#include "core/train/predict_memory.h"

#include "core/cpu/parallel.h"
#include "core/model/model_graph.h"
#include "core/probe/training_probes.h"

namespace headroom {

MemoryLedger predict_memory(const Job& job) {
    const TrainingGraph training = build_training_graph(job);
    MemoryLedger ledger = plan_memory(training.graph, cpu_threads()).ledger;
    const int64_t probes = training_probe_bytes(job, cpu_threads());
    ledger.workspace += probes;
    ledger.total += probes;
    return ledger;
}

}  // namespace headroom
