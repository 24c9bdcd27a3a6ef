#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/doctor/probes.h"
#include "core/device/cuda_report.h"

namespace headroom {

/// What the doctor looked up about CUDA.
struct CudaState {
    bool built = false;                ///< headroom-cuda.so lies beside the program
    std::string load_problem;          ///< why it could not be loaded
    std::optional<CudaReport> report;  ///< what it said
    bool driver = false;               ///< libcuda.so.1 is installed
    std::string driver_release;        ///< "550.54.15", where the kernel tells it
    bool averages = false;             ///< headroom-nccl.so was built
    std::string nccl;                  ///< version of libnccl.so.2; "" where it is absent
};

CudaState examine_cuda_state();

/// One line for the module, one for the driver, one for each device, one for NCCL.
std::vector<Finding> cuda_findings(const CudaState& state);

}  // namespace headroom
