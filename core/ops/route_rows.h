#pragma once

#include <cstddef>
#include <cstdint>

namespace headroom {

/// Tokens whose statistics the CPU adds up at once: sums are made in the same order by any number
/// of threads.
inline constexpr int64_t kRouteBlock = 128;

/// Scratch of the CPU's Route: the sums of each block of tokens, and the choices.
struct RouteWorkspace {
    RouteWorkspace(std::byte* at, int64_t tokens, int64_t experts, int64_t top_k)
        : blocks(blocks_of(tokens)),
          numbers(experts + 2),
          sums(reinterpret_cast<double*>(at)),
          chosen(reinterpret_cast<int32_t*>(sums + blocks * numbers)),
          counts(chosen + tokens * top_k) {}

    static int64_t blocks_of(int64_t tokens) { return (tokens + kRouteBlock - 1) / kRouteBlock; }
    static int64_t bytes(int64_t tokens, int64_t experts, int64_t top_k) {
        return blocks_of(tokens) * (experts + 2) * int64_t{sizeof(double)} +
               (tokens * top_k + 2 * experts) * int64_t{sizeof(int32_t)};
    }

    int64_t blocks, numbers;
    double* sums;     ///< [blocks, numbers]: of p by expert, of logsumexp^2, of the entropy
    int32_t* chosen;  ///< [tokens, top_k]
    int32_t* counts;  ///< [2, experts]: assignments, and those that were taken so far
};

}  // namespace headroom
