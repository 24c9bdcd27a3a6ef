#pragma once

#include <cstdint>

#include "core/config/job.h"
#include "core/data/data_source.h"
#include "core/device/device.h"
#include "core/device/process_group.h"

namespace headroom {

/// What rank 0 of a group tells the others to do with it next.
enum class GroupTask : int64_t { kStep, kEvaluate, kEnd };

struct GroupCommand {
    GroupTask task = GroupTask::kEnd;
    int64_t step = 0;  ///< of kStep
};

/// REQUIRES: rank 0. The others receive it in run_worker_rank.
void send_command(ProcessGroup& group, GroupCommand command);

/// Called by all once the job is set up. UserError on a process whose job or data are not those of
/// rank 0.
void check_same_work(ProcessGroup& group, const Job& job, const DataSource& data);

/// Called by all before they train. UserError on every process if some work on another kind of
/// device than rank 0: they would wait for each other for ever, each in its own way of averaging.
void check_same_kind(ProcessGroup& group, const Device& device);

/// The part of a process of rank > 0 in run_training: steps and evaluations as rank 0 commands
/// them, until the end. It reads and writes no file of the run.
void run_worker_rank(const Job& job, const DataSource& data, Device& device, ProcessGroup& group);

}  // namespace headroom
