#include "core/train/open_process_group.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

int launched_processes() {
    int most = 1;
    // Open MPI's mpirun, MPICH's mpiexec (and srun with PMI), srun itself.
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
        if (const char* text = std::getenv(name)) most = std::max(most, std::atoi(text));
    return most;
}

std::unique_ptr<ProcessGroup> open_process_group(const std::filesystem::path& program_folder) {
    const std::filesystem::path module = program_folder / "headroom-mpi.so";
    // MPI loads parts of its own, which look for its symbols among the global ones.
    void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr)
        throw UserError(fmt::format("{} processes were started together, but {} cannot be loaded",
                                    launched_processes(), module.string()),
                        "install libopenmpi-dev and build again, or start one process");
    using Open = ProcessGroup* (*)();
    const auto open = reinterpret_cast<Open>(dlsym(library, "headroom_open_mpi_group"));
    CHECK(open != nullptr, "headroom-mpi.so is of another build");
    return std::unique_ptr<ProcessGroup>(open());
}

}  // namespace headroom
