#include "core/train/predict_memory.h"

#include "core/cpu/parallel.h"
#include "core/model/model_graph.h"

namespace headroom {

MemoryLedger predict_memory(const Job& job) {
    const TrainingGraph training = build_training_graph(job);
    return plan_memory(training.graph, cpu_threads()).ledger;
}

}  // namespace headroom
