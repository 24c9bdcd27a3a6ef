#pragma once

#include "datasets/tasks/task.h"

namespace headroom {

// One function for each task: its name, summary, options and source.
TaskInfo grammar_task();

}  // namespace headroom
