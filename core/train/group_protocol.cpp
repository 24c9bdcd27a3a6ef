#include "core/train/group_protocol.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/config/job_json.h"
#include "core/train/training_session.h"

namespace headroom {
namespace {

template <class T>
void broadcast(ProcessGroup& group, T& value) {
    group.broadcast(std::as_writable_bytes(std::span(&value, 1)));
}

/// Of the job without the device, and of its first batch.
uint64_t hash_of_work(Job job, const BatchSource& data) {
    job.device.clear();
    const std::string text = to_json(job).dump();
    const auto tokens = static_cast<size_t>(job.train.batch_size * job.train.seq_len);
    std::vector<int32_t> inputs(tokens), targets(tokens);
    data.train_batch(1, 0, job.train.batch_size, job.train.seq_len, inputs, targets);
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return hash_tokens(inputs, targets, hash_bytes({bytes, text.size()}));
}

}  // namespace

void give_order(ProcessGroup& group, GroupOrder order) {
    CHECK(group.rank() == 0, "orders come from rank 0");
    broadcast(group, order);
}

void check_same_work(ProcessGroup& group, const Job& job, const BatchSource& data) {
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

void help_training(const Job& job, const BatchSource& data, Device& device, ProcessGroup& group) {
    check_same_work(group, job, data);
    TrainingSession session(job, data, device, group);
    session.broadcast_state();
    for (;;) {
        GroupOrder order;
        broadcast(group, order);
        if (order.task == GroupTask::kEnd) return;
        try {
            if (order.task == GroupTask::kStep) session.step(order.step);
        } catch (const NonFiniteError&) {
            return;  // every process knows, and rank 0 writes down that the run has diverged
        }
        if (order.task == GroupTask::kEvaluate) session.evaluate();
    }
}

}  // namespace headroom
