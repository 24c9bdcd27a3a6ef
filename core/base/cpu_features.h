#pragma once

#include <string>
#include <vector>

namespace headroom {

/// One instruction set of the processor family that the program was built for.
struct CpuFeature {
    std::string name;      ///< as in /proc/cpuinfo and gcc's options: "avx2", "avx512f", …
    bool used = false;     ///< the CPU kernels were compiled for it (HEADROOM_MARCH)
    bool present = false;  ///< this processor has it
};

/// All instruction sets that matter to the kernels; empty on processors other than x86-64.
std::vector<CpuFeature> cpu_features();

/// Whether libraries that look at the processor take their AVX-512 kernels here.
bool has_avx512();

/// Tiles of bfloat16 (AMX), whatever the operating system allows.
bool has_amx_bf16();
/// Asks the operating system for these tiles, once: Linux wants that before a process uses them.
bool may_use_amx();

/// Call first in main: a program built on one machine and run on an older one would otherwise die
/// of an illegal instruction. Throws EnvironmentError that names what the processor lacks.
void check_cpu_features(const std::vector<CpuFeature>& features = cpu_features());

}  // namespace headroom
