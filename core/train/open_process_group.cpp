#include "core/train/open_process_group.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "core/base/module_file.h"

namespace headroom {

int launched_processes() {
    int most = 1;
    // Open MPI's mpirun, MPICH's mpiexec (and srun with PMI), srun itself.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
        if (const char* text = std::getenv(name)) most = std::max(most, std::atoi(text));
    return most;
}

std::unique_ptr<ProcessGroup> open_process_group(const std::filesystem::path& program_folder) {
    // MPI loads parts of its own, which look for its symbols among the global ones.
    const ModuleFile module(
        program_folder / "headroom-mpi.so",
        {.absent = fmt::format("{} processes were started together, but this build has no MPI",
                               launched_processes()),
         .build_it = "install libopenmpi-dev and build again, or start one process",
         .install_it = "install openmpi-bin, or start one process"},
        ModuleFile::Symbols::kGlobal);
    return std::unique_ptr<ProcessGroup>(
        module.function<ProcessGroup*()>("headroom_open_mpi_group")());
}

}  // namespace headroom
