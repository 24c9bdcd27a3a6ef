#pragma once

#include <array>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <string_view>

namespace headroom::cuda {

/// Looks up an environment variable; null where it is not set.
using Environment = std::function<const char*(const char*)>;

/// Which of the processes that were started together on this machine we are, counted from 0: Open
/// MPI's, MPICH's and Intel's, or Slurm's number. 0 for a process on its own.
inline int local_rank(const Environment& environment = [](const char* name) {
    return static_cast<const char*>(std::getenv(name));
}) {
    constexpr std::array kNames = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                   "SLURM_LOCALID"};
    for (const char* name : kNames) {
        const char* text = environment(name);
        if (text == nullptr) continue;
        const std::string_view digits = text;
        int rank = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), rank);
        if (error == std::errc() && end == digits.data() + digits.size() && rank >= 0) return rank;
    }
    return 0;
}

/// The number of the device that this process takes, of `devices` that it can see (the user's
/// CUDA_VISIBLE_DEVICES has been obeyed): each process on a machine its own. Where a launcher shows
/// every process one device, that one; where there are more processes than devices, they share.
inline int choose_device(int devices, int rank) {
    return devices > 0 ? rank % devices : 0;
}

}  // namespace headroom::cuda
