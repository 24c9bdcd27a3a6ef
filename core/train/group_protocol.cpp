#include "core/train/group_protocol.h"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/config/job_json.h"
#include "core/device/batch_inputs.h"
#include "core/model/model_graph.h"
#include "core/train/training_session.h"

namespace headroom {
namespace {

template <class T>
void broadcast(ProcessGroup& group, T& value) {
    group.broadcast(std::as_writable_bytes(std::span(&value, 1)));
}

/// Of the job without the device, and of its first batch.
uint64_t hash_of_work(Job job, const DataSource& data) {
    job.device.clear();
    const std::string text = to_json(job).dump();
    const EvaluationGraph evaluation = build_evaluation_graph(job);
    Batch batch = batch_for(evaluation.graph, evaluation.values.inputs);
    data.train_batch(1, 0, batch);
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return batch.hash(hash_bytes({bytes, text.size()}));
}

}  // namespace

void send_command(ProcessGroup& group, GroupCommand command) {
    CHECK(group.rank() == 0, "commands come from rank 0");
    broadcast(group, command);
}

void check_same_work(ProcessGroup& group, const Job& job, const DataSource& data) {
    if (group.is_alone()) return;
    const uint64_t own = hash_of_work(job, data);
    uint64_t expected = own;
    broadcast(group, expected);
    if (expected != own)
        throw UserError(
            fmt::format("process {} has another job or other data than process 0", group.rank()),
            "start all processes with the same files and arguments");
}

void check_same_kind(ProcessGroup& group, const Device& device) {
    double on_cpu = device.kind() == "cpu" ? 1 : 0;
    group.sum(std::span<double>(&on_cpu, 1));
    if (on_cpu == 0 || on_cpu == group.size()) return;
    throw UserError(fmt::format("{} of the {} processes found no CUDA device that they can use",
                                on_cpu, group.size()),
                    "mend it there, which headroom doctor helps with, or give all --device cpu");
}

void run_worker_rank(const Job& job, const DataSource& data, Device& device, ProcessGroup& group) {
    check_same_work(group, job, data);
    TrainingSession session(job, data, device, group);
    session.broadcast_state();
    for (;;) {
        GroupCommand command;
        broadcast(group, command);
        if (command.task == GroupTask::kEnd) return;
        try {
            if (command.task == GroupTask::kStep) session.step(command.step);
        } catch (const NonFiniteError&) {
            return;  // every process knows, and rank 0 writes down that the run has diverged
        }
        if (command.task == GroupTask::kEvaluate) session.evaluate();
    }
}

}  // namespace headroom
