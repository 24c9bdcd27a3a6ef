#pragma once

#include "datasets/tasks/task.h"

namespace headroom {

// One function for each task: its name, summary, options and source. See README.md for how to add
// one.
TaskInfo grammar_task();
TaskInfo induction_task();
TaskInfo copy_task();
TaskInfo regression_task();

}  // namespace headroom
