#pragma once

#include <filesystem>
#include <memory>

#include "core/device/process_group.h"

namespace headroom {

/// How many processes mpirun or srun started together with this one; 1 where neither did.
int launched_processes();

/// The group of the processes that were started together, by MPI. Call it once, and only if
/// launched_processes() > 1. `program_folder` is where headroom-mpi.so lies. UserError if it was
/// not built.
std::unique_ptr<ProcessGroup> open_process_group(const std::filesystem::path& program_folder);

}  // namespace headroom
